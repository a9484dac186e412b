//! Namespaces added to and removed from a cache while it runs.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::registry::Erased;
use super::{Cache, CacheError};
use crate::informer::{
    InformerError, InformerOptions, NamespaceOptions, Namespaces, check_name, checked,
};

use crate::object::Metadata;

impl Cache {
    /// Watches a namespace more, with every informer whose options name no namespaces of their own, and those that are asked for
    /// later. See [`Informer::add_namespace`](crate::Informer::add_namespace) for what readers and handlers see.
    ///
    /// Answers whether the namespace was not watched by default: `false` means that nothing has changed.
    ///
    /// # Errors
    ///
    /// [`CacheError::Scope`] for a name that no namespace has; [`CacheError::ShutDown`].
    pub fn add_namespace(&self, namespace: &str) -> Result<bool, CacheError> {
        self.add_namespace_with(namespace, NamespaceOptions::default())
    }

    /// As [`add_namespace`](Self::add_namespace), with defaults of its own, as those of
    /// [`CacheBuilder::namespace`](crate::CacheBuilder::namespace).
    ///
    /// # Errors
    ///
    /// As [`add_namespace`](Self::add_namespace), and for a label selector that does not parse.
    pub fn add_namespace_with(
        &self,
        namespace: &str,
        options: NamespaceOptions<Metadata>,
    ) -> Result<bool, CacheError> {
        check_name(namespace)?;
        let options = checked(options, Some(namespace))?;
        let mut defaults = self.defaults();
        self.0.registry.check_open()?;
        let mut namespaces = watched(&defaults);
        if namespaces.watches(namespace) {
            return Ok(false);
        }
        namespaces.add(namespace, options.clone());
        replace(&mut defaults, namespaces);
        self.tell(|informer| informer.inherit(namespace, &options))?;
        Ok(true)
    }

    /// Watches a namespace no longer, with every informer whose options name no namespaces of their own. See
    /// [`Informer::remove_namespace`](crate::Informer::remove_namespace) for what readers and handlers see.
    ///
    /// Answers whether the namespace was watched by default.
    ///
    /// # Errors
    ///
    /// As [`add_namespace`](Self::add_namespace).
    pub fn remove_namespace(&self, namespace: &str) -> Result<bool, CacheError> {
        check_name(namespace)?;
        let mut defaults = self.defaults();
        self.0.registry.check_open()?;
        let mut namespaces = watched(&defaults);
        if !namespaces.watches(namespace) {
            return Ok(false);
        }
        namespaces.remove(namespace);
        replace(&mut defaults, namespaces);
        self.tell(|informer| informer.disinherit(namespace))?;
        Ok(true)
    }

    pub(super) fn defaults(&self) -> MutexGuard<'_, Arc<InformerOptions<Metadata>>> {
        // Each change is one assignment, so what a panic interrupted is whole.
        self.0
            .defaults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Has every informer that is not stopped change; the first refusal is answered when all were told.
    fn tell(
        &self,
        change: impl Fn(&dyn Erased) -> Result<bool, InformerError>,
    ) -> Result<(), InformerError> {
        let mut told = Ok(());
        for informer in self.0.registry.all() {
            match change(&*informer) {
                Ok(_) | Err(InformerError::Stopped(_)) => {}
                Err(error) => told = told.and(Err(error)),
            }
        }
        told
    }
}

fn watched(defaults: &InformerOptions<Metadata>) -> Namespaces<Metadata> {
    defaults.namespaces.clone().unwrap_or_else(Namespaces::all)
}

fn replace(defaults: &mut Arc<InformerOptions<Metadata>>, namespaces: Namespaces<Metadata>) {
    Arc::make_mut(defaults).namespaces = Some(namespaces);
}
