//! Versions, watches, requests and faults.

use super::Sim;
use crate::{fault::Faults, requests::Request, serve::Verb, server::Ending};

/// Versions, watches and the log of requests.
impl Sim {
    /// The version of the last change.
    #[must_use]
    pub fn current_version(&self) -> u64 {
        self.shared.store().version()
    }

    /// Lets versions run ahead by `versions` without any change, as writes to other resources do.
    pub fn advance_version(&self, versions: u64) -> u64 {
        let advanced = self.shared.write(|store| Ok(store.advance(versions)));
        advanced.unwrap_or_default()
    }

    /// Forgets every change up to now, as if etcd were compacted and the watch cache begun anew: lists and watches at
    /// earlier versions get 410. Open watches go on. Returns the version that is the oldest one from now on.
    pub fn compact(&self) -> u64 {
        self.shared.store().compact()
    }

    /// Breaks all open watches, and whatever a fault keeps silent.
    pub fn disconnect(&self) {
        self.shared.disconnect(Ending::Cut);
    }

    /// Ends all open watches in good order, as the API server does when it shuts down or is restarted. What a fault
    /// keeps silent breaks.
    pub fn end_watches(&self) {
        self.shared.disconnect(Ending::Clean);
    }

    /// Changes things while no watch can see it: breaks all watches, lets `change` run, and forgets its changes, so
    /// that only a list can find out.
    ///
    /// A client on another thread may be back before `change` is through, and see the rest: put a fault such as
    /// [`Fault::unavailable`](crate::Fault::unavailable) around the call where that matters.
    pub fn change_unseen<T>(&self, change: impl FnOnce(&Self) -> T) -> T {
        self.disconnect();
        let result = change(self);
        self.compact();
        result
    }

    /// How many watches are open.
    #[must_use]
    pub fn watchers(&self) -> usize {
        self.shared
            .store()
            .tables()
            .map(|table| table.log().readers())
            .sum()
    }

    /// How many watches of a resource are open; none if it is not served.
    #[must_use]
    pub fn watchers_of(&self, resource: &str) -> usize {
        let Ok((id, _)) = self.named(resource) else {
            return 0;
        };
        self.shared
            .store()
            .table(id)
            .map_or(0, |table| table.log().readers())
    }

    /// Waits until so many watches of a resource are open. Put a deadline around it.
    pub async fn wait_for_watchers(&self, resource: &str, count: usize) {
        let mut bell = self.shared.watchers();
        loop {
            bell.hear();
            if self.watchers_of(resource) == count || bell.changed().await.is_err() {
                return;
            }
        }
    }

    /// All requests so far, oldest first; of very many, at least the last 50,000.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests().all().to_vec()
    }

    /// How many requests of this verb there were for a resource, written as `pods` or `deployments.apps`.
    #[must_use]
    pub fn request_count(&self, verb: Verb, resource: &str) -> usize {
        let requests = self.shared.requests().all();
        requests
            .iter()
            .filter(|request| request.is(verb, resource))
            .count()
    }

    /// Forgets the requests so far.
    pub fn clear_requests(&self) {
        self.shared.requests().clear();
    }

    /// Waits until the log of requests satisfies a condition, which is asked now and after each request. No time
    /// passes in between. Put a deadline around it.
    pub async fn wait_for(&self, condition: impl FnMut(&[Request]) -> bool) {
        self.shared.requests().wait_for(condition).await;
    }

    /// What goes wrong.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        self.shared.faults()
    }
}
