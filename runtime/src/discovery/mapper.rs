//! The mapper: names to kinds, from memory where they are known, else from the server.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::catalog::Catalog;
use super::error::DiscoveryError;
use super::fetch::DocumentError;
use super::read::read;
use super::sought::Sought;
use crate::kind::Kind;
use crate::transport::Transport;

/// Which kinds the API server serves, by name: the mapper from `Widget` or `widgets.example.com` to group, version, plural and scope.
///
/// What it knows it answers from memory. What it does not know it asks the server for, so a new CRD is found without a restart; many
/// who ask at once share one refresh, and the next one begins [`REFRESH_INTERVAL`](Self::REFRESH_INTERVAL) later at the
/// earliest. So:
///
/// - "not found" is at most that old; a CRD that was installed since is found by asking again after it;
/// - a kind that is found may have been known for as long as this mapper lives, and may be gone since. An informer of the same cache
///   that finds its kind absent makes the mapper forget it, as [`forget`](Self::forget) does. The same holds for the preferred
///   version: that of the last refresh.
///
/// Two requests are enough where the server aggregates discovery (KEP-3352, on from Kubernetes 1.27), else it takes one more for each
/// version of each group. A group whose own server is down hides no other: what was known of it stays known, and errors name it. The
/// role `system:discovery`, which every authenticated user has unless it was taken away, is all that is needed.
///
/// A clone is another handle of the same mapper.
///
/// ```no_run
/// # extern crate larder_runtime as larder;
/// # async fn example(transport: impl larder::Transport) -> Result<(), larder::DiscoveryError> {
/// use larder::{Discovery, Sought};
///
/// let discovery = Discovery::new(transport);
/// let widgets = discovery.kind("widgets.example.com").await?;
/// assert_eq!(widgets.kind(), "Widget");
/// let deployments = discovery.kind(Sought::kind("Deployment").group("apps")).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Discovery(Arc<Inner>);

struct Inner {
    transport: Arc<dyn Transport>,
    known: Mutex<Known>,
    /// Held while the server is asked.
    flight: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    catalog: Arc<Catalog>,
    /// How often the server was asked.
    refreshes: u64,
    last: Option<Refresh>,
}

/// How the last refresh ended.
#[derive(Clone)]
struct Refresh {
    at: Instant,
    result: Result<(), Arc<[DocumentError]>>,
}

impl Discovery {
    /// The shortest time from the end of one refresh to the beginning of the next.
    pub const REFRESH_INTERVAL: Duration = Duration::from_secs(5);

    /// The deadline of each request of a refresh, its body included.
    pub const REQUEST_DEADLINE: Duration = Duration::from_secs(30);

    /// A mapper that knows nothing yet; it makes no request before it is asked.
    pub fn new(transport: impl Transport) -> Self {
        Self::over(Arc::new(transport))
    }

    pub(crate) fn over(transport: Arc<dyn Transport>) -> Self {
        Self(Arc::new(Inner {
            transport,
            known: Mutex::default(),
            flight: tokio::sync::Mutex::default(),
        }))
    }

    /// The kind that is sought: text such as `"widgets.example.com"`, or a [`Sought`].
    ///
    /// Where no version is named it is the server's preferred one, or of those that have the kind the first in its order. What can
    /// be listed and watched goes before what cannot. A plural name goes before a kind's, a singular, a short one. Costs a
    /// look through what is known (tens of microseconds), or the requests of a refresh.
    ///
    /// # Errors
    ///
    /// [`DiscoveryError`]. An error is not remembered beyond [`REFRESH_INTERVAL`](Self::REFRESH_INTERVAL).
    pub async fn kind(&self, sought: impl Into<Sought>) -> Result<Kind, DiscoveryError> {
        let sought = sought.into();
        let (catalog, refreshes) = {
            let known = self.lock();
            (Arc::clone(&known.catalog), known.refreshes)
        };
        if let Some(kind) = catalog.find(&sought)? {
            return Ok(kind);
        }
        let refresh = self.refresh_after(refreshes).await;
        if let Err(unread) = refresh.result {
            let unread = unread.to_vec();
            return Err(DiscoveryError::Unread { sought, unread });
        }
        let catalog = Arc::clone(&self.lock().catalog);
        match catalog.find(&sought)? {
            Some(kind) => Ok(kind),
            None => Err(missing(&catalog, sought, refresh.at)),
        }
    }

    /// Reads everything anew, unless that was done less than [`REFRESH_INTERVAL`](Self::REFRESH_INTERVAL) ago, and says what could not be
    /// read then: the groups whose servers are down.
    ///
    /// # Errors
    ///
    /// The errors of all documents that were asked for, where none could be read; what was known stays known.
    pub async fn refresh(&self) -> Result<Vec<DocumentError>, Vec<DocumentError>> {
        let refreshes = self.lock().refreshes;
        let refresh = self.refresh_after(refreshes).await;
        match refresh.result {
            Ok(()) => Ok(self.lock().catalog.unread.clone()),
            Err(unread) => Err(unread.to_vec()),
        }
    }

    /// Takes a kind out of what is known, in its version: the next one who asks for it makes the server be asked.
    pub fn forget(&self, kind: &Kind) {
        let mut known = self.lock();
        known.catalog = Arc::new(known.catalog.without(kind));
    }

    /// The outcome of a refresh that ended after `seen` refreshes had, or of the last one if that is too young for another.
    async fn refresh_after(&self, seen: u64) -> Refresh {
        let _flight = self.0.flight.lock().await;
        let (old, last) = {
            let known = self.lock();
            let old = Arc::clone(&known.catalog);
            let young = |last: &Refresh| last.at.elapsed() < Self::REFRESH_INTERVAL;
            let shared = known.refreshes != seen;
            let last = known.last.clone();
            (old, last.filter(|last| shared || young(last)))
        };
        if let Some(last) = last {
            return last;
        }
        let read = read(&*self.0.transport, &old).await;
        let mut known = self.lock();
        known.refreshes += 1;
        let result = match read {
            Ok(catalog) => {
                for error in &catalog.unread {
                    tracing::warn!(%error, "a part of discovery cannot be read; other groups are not affected");
                }
                known.catalog = Arc::new(catalog);
                Ok(())
            }
            Err(unread) => Err(Arc::from(unread)),
        };
        let refresh = Refresh {
            at: Instant::now(),
            result,
        };
        known.last = Some(refresh.clone());
        refresh
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Each write leaves a valid state.
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn missing(catalog: &Catalog, sought: Sought, at: Instant) -> DiscoveryError {
    let unread = catalog.unread_of(&sought);
    if sought.group.is_some() && !unread.is_empty() {
        return DiscoveryError::Unread { sought, unread };
    }
    DiscoveryError::NotFound {
        near: catalog.near(&sought),
        unread,
        age: at.elapsed(),
        sought,
    }
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.lock();
        f.debug_struct("Discovery")
            .field("kinds", &known.catalog.entries.len())
            .field("refreshes", &known.refreshes)
            .finish_non_exhaustive()
    }
}
