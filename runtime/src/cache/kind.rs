//! A cache's informers of one kind: the one way to them, whether the kind is known at compile time or at run time.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::registry::Id;
use super::{Cache, CacheError};
use crate::informer::{Informer, InformerOptions, Written};
use crate::kept::Kept;
use crate::key::ObjectKey;
use crate::kind::Kind;
use crate::store::List;

/// The part of a [`Cache`] that keeps one kind as `R` says: what the cache itself has for kinds known at compile time, for one known
/// at run time alone.
///
/// From [`Cache::dynamic`] and [`Cache::metadata`]. It is a handle: nothing runs before an informer is asked for or something is read.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{Cache, CacheError, DynamicObject, Kind, Scope, computed};
///
/// # async fn run(cache: Cache) -> Result<(), CacheError> {
/// let kind = Kind::new("example.com", "v1", "Widget", "widgets", Scope::Namespaced);
/// let widgets = cache.dynamic(kind).informer()?;
/// let by_colour = widgets.add_index(computed(|widget: &DynamicObject| {
///     Some(widget.data.pointer("/spec/colour")?.as_str()?.to_owned())
/// }))?;
/// cache.start()?;
/// widgets.wait_for_sync(std::time::Duration::from_secs(30)).await?;
/// for widget in by_colour.get("red")? {
///     println!("{:?}: {}", widget.key(), widget.data["spec"]);
/// }
/// for widget in widgets.lister().namespace("web").list()? { /* Arc<DynamicObject> */ }
/// # Ok(())
/// # }
/// ```
pub struct KindCache<R: Kept> {
    cache: Cache,
    kind: Kind,
    kept: PhantomData<fn() -> R>,
}

impl<R: Kept> KindCache<R> {
    pub(super) fn new(cache: Cache, kind: Kind) -> Self {
        Self {
            cache,
            kind,
            kept: PhantomData,
        }
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The informer, made at the first call; see [`Cache::informer`].
    ///
    /// # Errors
    ///
    /// As [`Cache::informer`].
    pub fn informer(&self) -> Result<Informer<R>, CacheError> {
        let (informer, _) = self.obtain(InformerOptions::default())?;
        Ok(informer)
    }

    /// A new informer with options of its own; further informers of a kind need a name of their own.
    ///
    /// # Errors
    ///
    /// As [`Cache::informer_with`].
    pub fn informer_with(&self, options: InformerOptions<R>) -> Result<Informer<R>, CacheError> {
        let name = self.named(options.name.as_deref());
        match self.obtain(options)? {
            (informer, true) => Ok(informer),
            (_, false) => Err(CacheError::AlreadyExists {
                kind: self.kind.clone(),
                name,
            }),
        }
    }

    /// The informer under a name, where there is one.
    #[must_use]
    pub fn informer_named(&self, name: &str) -> Option<Informer<R>> {
        self.registered(Some(name))
    }

    fn registered(&self, name: Option<&str>) -> Option<Informer<R>> {
        self.cache.0.registry.get::<R>(&self.id(name))
    }

    /// What the cache's builder says of this kind.
    fn options(&self) -> Option<Arc<InformerOptions<R>>> {
        self.cache.0.settings.kinds.of(&self.kind)
    }

    /// The name under which an informer is registered: one that is asked for without a name has that of the kind's options.
    fn named(&self, name: Option<&str>) -> Option<String> {
        let name = name.map(str::to_owned);
        name.or_else(|| self.options()?.name.clone())
    }

    fn id(&self, name: Option<&str>) -> Id {
        Id::of::<R>(&self.kind, self.named(name).as_deref())
    }

    /// The one that is given to whoever asks: one that stopped because its kind was absent makes room for a new one.
    fn usable(&self, name: Option<&str>) -> Option<Informer<R>> {
        self.registered(name).filter(|one| !one.is_gone())
    }

    /// The informer, and whether these options made it.
    fn obtain(&self, mut options: InformerOptions<R>) -> Result<(Informer<R>, bool), CacheError> {
        if let Some(informer) = self.usable(options.name.as_deref()) {
            return Ok((informer, false));
        }
        let cache = &self.cache.0;
        let id = self.id(options.name.as_deref());
        let of_kind = self.options().unwrap_or_default();
        options.discovery = Some(cache.settings.discovery.clone());
        let transport = Arc::clone(&cache.transport);
        let defaults = self.cache.defaults();
        cache.registry.get_or_insert(id, || {
            let defaults = Arc::clone(&defaults);
            Informer::registered(transport, self.kind.clone(), options, of_kind, defaults)
        })
    }

    /// The informer that a read goes through, once reads over everything are answered.
    ///
    /// # Errors
    ///
    /// As [`Cache::get`].
    pub async fn synced_informer(&self) -> Result<Informer<R>, CacheError> {
        self.informer_for_reads(None).await
    }

    /// The informer, once reads of this namespace, or over everything, are answered.
    async fn informer_for_reads(&self, namespace: Option<&str>) -> Result<Informer<R>, CacheError> {
        let informer = self.running_informer()?;
        let deadline = self.cache.0.settings.read_deadline;
        informer.wait_for_reads(namespace, deadline).await?;
        Ok(informer)
    }

    /// The informer that reads go through, made where there is none.
    fn running_informer(&self) -> Result<Informer<R>, CacheError> {
        let cache = &self.cache.0;
        if !cache.registry.is_started() {
            return Err(CacheError::NotStarted);
        }
        match self.usable(None) {
            Some(informer) => Ok(informer),
            None if cache.settings.strict => Err(CacheError::NotCached {
                kind: self.kind.clone(),
            }),
            None => self.informer(),
        }
    }

    /// Waits until reads show a write; see [`Cache::wait_for`].
    ///
    /// # Errors
    ///
    /// As [`Cache::wait_for`].
    pub async fn wait_for(&self, written: &Written, deadline: Duration) -> Result<(), CacheError> {
        let informer = self.running_informer()?;
        Ok(informer.wait_for(written, deadline).await?)
    }

    /// An object, from the informer, which is made and awaited where it does not run yet.
    ///
    /// # Errors
    ///
    /// As [`Cache::get`].
    pub async fn get(&self, key: &ObjectKey) -> Result<R::Read, CacheError> {
        let informer = self.informer_for_reads(key.namespace()).await?;
        Ok(informer.lister().get(key)?)
    }

    /// All objects, from the informer, which is made and awaited where it does not run yet.
    ///
    /// # Errors
    ///
    /// As [`Cache::get`].
    pub async fn list(&self) -> Result<List<R>, CacheError> {
        let informer = self.synced_informer().await?;
        Ok(informer.lister().list()?)
    }

    /// Takes an informer out and stops it; asking again makes a new one. The old one stays stopped.
    ///
    /// `name` is the one given in its options. Answers whether there was one.
    ///
    /// # Errors
    ///
    /// As [`Cache::remove`].
    pub async fn remove(&self, name: Option<&str>, deadline: Duration) -> Result<bool, CacheError> {
        let id = self.id(name);
        let Some(informer) = self.cache.0.registry.remove(&id) else {
            return Ok(false);
        };
        informer
            .stopped(deadline)
            .await
            .map_err(|error| CacheError::StillStopping(vec![error]))?;
        Ok(true)
    }
}

impl<R: Kept> Clone for KindCache<R> {
    fn clone(&self) -> Self {
        Self::new(self.cache.clone(), self.kind.clone())
    }
}

impl<R: Kept> fmt::Debug for KindCache<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KindCache")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
