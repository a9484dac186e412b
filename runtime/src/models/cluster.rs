//! What is kept in the models, and a source that is written as a reflector writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::decode::{RawBuffer, RawObject};
use crate::entry::SourceId;
use crate::identity::ResourceVersion;
use crate::kept::{Kept, StoreError, Transform, TransformError};
use crate::kind::{Kind, Scope};
use crate::observe::Observed;
use crate::sink::Sink as _;
use crate::store::{Coverage, Shared, Source, State};

pub(super) const PODS: Kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);

/// Keeps an object's version, as a number.
pub(super) enum Number {}

impl Kept for Number {
    type Object = ();
    type Stored = Arc<u64>;
    type Read = u64;

    fn store(raw: &RawObject<'_>, _: &Transform<()>) -> Result<Arc<u64>, StoreError> {
        let version = raw.resource_version().unwrap_or_default();
        let number = version
            .parse()
            .map_err(|_| TransformError::new("no number"))?;
        Ok(Arc::new(number))
    }

    fn read(stored: &Arc<u64>) -> u64 {
        **stored
    }
}

/// An object's JSON.
pub(super) fn json(key: &str, uid: &str, version: u64) -> String {
    let (namespace, name) = key.split_once('/').unwrap();
    format!(
        r#"{{"metadata":{{"namespace":"{namespace}","name":"{name}","uid":"{uid}","resourceVersion":"{version}"}}}}"#
    )
}

/// An object of the models' clusters: its key, its uid, its version.
pub(super) type Object = (&'static str, &'static str, u64);

fn raw((key, uid, version): Object) -> RawBuffer {
    RawBuffer::new(json(key, uid, version)).unwrap()
}

/// A store with one source of everything.
pub(super) fn store() -> Arc<Shared<Number>> {
    fed_by([(SourceId(0), None)])
}

/// A store whose source 0 has namespace `x`, and source 1 namespace `y`.
pub(super) fn store_of_two() -> Arc<Shared<Number>> {
    fed_by([
        (SourceId(0), Some("x".into())),
        (SourceId(1), Some("y".into())),
    ])
}

fn fed_by(sources: impl IntoIterator<Item = (SourceId, Option<Arc<str>>)>) -> Arc<Shared<Number>> {
    let coverage = Coverage::new(sources, BTreeSet::new());
    let observed = Observed::alone(&PODS);
    Shared::new("pods".into(), observed, coverage, None, Handle::current())
}

/// What each key's version is.
pub(super) type Content = BTreeMap<String, u64>;

pub(super) fn content(state: &State<Number>) -> Content {
    let entries = state.iter().map(|(_, entry)| entry);
    entries
        .map(|entry| (entry.key.to_string(), *entry.stored))
        .collect()
}

/// One source of a store, as its reflector would feed it.
pub(super) struct Feeding(Source<Number>);

impl Feeding {
    pub(super) fn new(store: &Arc<Shared<Number>>, source: u32) -> Self {
        let source = SourceId(source);
        Self(Source::new(Arc::clone(store), source, Transform::none()))
    }

    /// A complete listing at a version.
    pub(super) fn list(&mut self, objects: &[Object], version: u64) {
        self.0.begin();
        for object in objects {
            self.0.stage(&raw(*object).raw());
        }
        self.0.commit(ResourceVersion::new(&version.to_string()));
    }

    /// One batch of watch events, published together.
    pub(super) fn put(&mut self, objects: &[Object]) {
        for object in objects {
            self.0.upsert(&raw(*object).raw());
        }
        self.0.flush();
    }

    pub(super) fn delete(&mut self, object: Object) {
        self.0.delete(&raw(object).raw());
        self.0.flush();
    }
}
