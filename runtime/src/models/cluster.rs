//! What is kept in the models, and a source that is written as a reflector writes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::decode::{RawBuffer, RawObject};
use crate::entry::SourceId;
use crate::identity::ResourceVersion;
use crate::kept::{Kept, StoreError, Transform, TransformError};
use crate::kind::{Kind, Scope};
use crate::sink::Sink as _;
use crate::store::{Shared, Source, State};

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

pub(super) fn store(sources: u32) -> Arc<Shared<Number>> {
    let sources = (0..sources).map(SourceId);
    Shared::new(PODS, "pods".into(), sources, None, Handle::current())
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
