//! Which namespaces are watched, and what is asked for in each: the options of one scope.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::kept::{Kept, Transform, TransformError, Transformable};
use crate::object::Metadata;
use crate::reflector::ReflectorOptions;
use crate::selector::{FieldSelector, LabelSelector};

/// Options of one namespace of an informer, or, in a cache's defaults, of one namespace of every kind.
///
/// What is not set here comes from, in this order: the informer's own options, what the cache says of the kind in this namespace,
/// and of the kind, what its defaults say of this namespace, its defaults. (The order is that of controller-runtime's
/// `cache.Options`.) The resync period is not among these: a handler has one, over all that it is told of.
///
/// ```
/// # extern crate larder_runtime as larder;
/// # use larder::{InformerOptions, Kept};
/// # fn of<R: Kept>() -> InformerOptions<R> {
/// use larder::NamespaceOptions;
///
/// // The web servers of one namespace, and all of another.
/// InformerOptions::new()
///     .namespace("web", NamespaceOptions::new().label_selector("app=web"))
///     .namespaces(["jobs"])
/// # }
/// ```
#[non_exhaustive]
pub struct NamespaceOptions<R: Kept> {
    pub(crate) label_selector: Option<String>,
    pub(crate) field_selector: Option<String>,
    pub(crate) transform: Option<Transform<R::Object>>,
    pub(crate) reflector: Option<ReflectorOptions>,
}

impl<R: Kept> Default for NamespaceOptions<R> {
    fn default() -> Self {
        Self {
            label_selector: None,
            field_selector: None,
            transform: None,
            reflector: None,
        }
    }
}

impl<R: Kept> Clone for NamespaceOptions<R> {
    fn clone(&self) -> Self {
        Self {
            label_selector: self.label_selector.clone(),
            field_selector: self.field_selector.clone(),
            transform: self.transform.clone(),
            reflector: self.reflector.clone(),
        }
    }
}

impl<R: Kept> fmt::Debug for NamespaceOptions<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceOptions")
            .field("label_selector", &self.label_selector)
            .field("field_selector", &self.field_selector)
            .field("transform", &self.transform)
            .field("reflector", &self.reflector)
            .finish()
    }
}

impl<R: Kept> NamespaceOptions<R> {
    /// Nothing set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// See [`InformerOptions::labels`](crate::InformerOptions::labels).
    #[must_use]
    pub fn labels(self, selector: LabelSelector) -> Self {
        self.label_selector(selector)
    }

    /// See [`InformerOptions::label_selector`](crate::InformerOptions::label_selector).
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.label_selector = Some(selector.into());
        self
    }

    /// See [`InformerOptions::field_selector`](crate::InformerOptions::field_selector).
    #[must_use]
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.field_selector = Some(selector.into());
        self
    }

    /// See [`InformerOptions::fields`](crate::InformerOptions::fields).
    #[must_use]
    pub fn fields(self, selector: FieldSelector<R::Object>) -> Self {
        self.field_selector(selector)
    }

    /// Changes each object received from this namespace before it is stored: `|pod: &mut Pod| …` for an informer,
    /// `|metadata: &mut ObjectMeta| …` in a cache's defaults.
    #[must_use]
    pub fn transform(
        mut self,
        change: impl Fn(&mut R::Object) -> Result<(), TransformError> + Send + Sync + 'static,
    ) -> Self
    where
        R: Transformable,
    {
        self.transform = Some(Transform::new(change));
        self
    }

    /// See [`InformerOptions::reflector`](crate::InformerOptions::reflector).
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.reflector = Some(options);
        self
    }

    /// What is set here, and `defaults` for the rest.
    ///
    /// The pattern names every field, so that a new option cannot be left out of defaulting.
    pub(super) fn or(self, defaults: &Self) -> Self {
        let Self {
            label_selector,
            field_selector,
            transform,
            reflector,
        } = self;
        Self {
            label_selector: label_selector.or_else(|| defaults.label_selector.clone()),
            field_selector: field_selector.or_else(|| defaults.field_selector.clone()),
            transform: transform.or_else(|| defaults.transform.clone()),
            reflector: reflector.or_else(|| defaults.reflector.clone()),
        }
    }
}

impl NamespaceOptions<Metadata> {
    /// The same for one kind.
    pub(super) fn of_kind<R: Kept>(&self) -> NamespaceOptions<R> {
        let Self {
            label_selector,
            field_selector,
            transform,
            reflector,
        } = self.clone();
        NamespaceOptions {
            label_selector,
            field_selector,
            transform: transform.map(|metadata| {
                Transform::new(move |object| match R::metadata_mut(object) {
                    Some(meta) => metadata.apply(meta),
                    None => Ok(()),
                })
            }),
            reflector,
        }
    }
}

/// Which namespaces are watched: some by name, and perhaps all others but a few.
pub(crate) struct Namespaces<R: Kept> {
    /// Those with a list and watch of their own.
    pub(super) named: BTreeMap<String, NamespaceOptions<R>>,
    /// Where all others are watched, over one list and watch more, its options.
    pub(super) others: Option<NamespaceOptions<R>>,
    /// Of all others, those that are not watched.
    pub(super) except: BTreeSet<String>,
}

impl<R: Kept> Namespaces<R> {
    /// None, which is an error unless something is added.
    pub(super) fn none() -> Self {
        Self {
            named: BTreeMap::new(),
            others: None,
            except: BTreeSet::new(),
        }
    }

    /// All of them, over one list and watch.
    pub(crate) fn all() -> Self {
        Self {
            others: Some(NamespaceOptions::default()),
            ..Self::none()
        }
    }

    pub(crate) fn watches(&self, namespace: &str) -> bool {
        self.named.contains_key(namespace)
            || self.others.is_some() && !self.except.contains(namespace)
    }

    /// Watches a namespace that was not watched.
    pub(crate) fn add(&mut self, namespace: &str, options: NamespaceOptions<R>) {
        self.except.remove(namespace);
        self.named.insert(namespace.to_owned(), options);
    }

    /// Watches a namespace no longer.
    pub(crate) fn remove(&mut self, namespace: &str) {
        self.named.remove(namespace);
        if self.others.is_some() {
            self.except.insert(namespace.to_owned());
        }
    }
}

impl<D: Kept> Namespaces<D> {
    /// The same namespaces for another layer, without what is said of each.
    pub(super) fn inherited<R: Kept>(&self) -> Namespaces<R> {
        let named = self.named.keys();
        Namespaces {
            named: named
                .map(|name| (name.clone(), NamespaceOptions::default()))
                .collect(),
            others: self.others.as_ref().map(|_| NamespaceOptions::default()),
            except: self.except.clone(),
        }
    }
}

impl<R: Kept> Clone for Namespaces<R> {
    fn clone(&self) -> Self {
        Self {
            named: self.named.clone(),
            others: self.others.clone(),
            except: self.except.clone(),
        }
    }
}

impl<R: Kept> fmt::Debug for Namespaces<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Namespaces")
            .field("named", &self.named)
            .field("others", &self.others)
            .field("except", &self.except)
            .finish()
    }
}
