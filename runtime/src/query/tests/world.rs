//! A store that changes, and moments of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fastrand::Rng;

use super::model::{IMAGE, NODE, PORT, Plain, READY, SIZE, Things};
use crate::entry::SourceId;
use crate::identity::ResourceVersion;
use crate::kept::Transform;
use crate::kind::{Kind, Scope};
use crate::observe::Observed;
use crate::sink::Sink;
use crate::store::{Coverage, Labels, Shared, Snapshot, Source, Spec};

/// A store, and what is in it.
pub(super) struct World {
    pub(super) shared: Arc<Shared<Things>>,
    source: Source<Things>,
    plain: BTreeMap<String, Plain>,
    version: u64,
}

/// One moment of it.
pub(super) struct Moment {
    pub(super) snapshot: Snapshot<Things>,
    pub(super) plain: BTreeMap<String, Plain>,
}

impl World {
    pub(super) fn new() -> Self {
        let kind = Kind::from_static("", "v1", "Thing", "things", Scope::Namespaced);
        let shared = Shared::<Things>::new(
            "things".into(),
            Observed::alone(&kind),
            Coverage::new([(SourceId(0), None)], BTreeSet::new()),
            None,
            tokio::runtime::Handle::current(),
        );
        let mut source = Source::new(Arc::clone(&shared), SourceId(0), Transform::none());
        source.begin();
        source.commit(ResourceVersion::new("0"));
        Self {
            shared,
            source,
            plain: BTreeMap::new(),
            version: 0,
        }
    }

    /// Puts an object in.
    pub(super) fn put(&mut self, plain: Plain) {
        self.source.upsert(&plain.json().raw());
        self.source.flush();
        self.plain.insert(plain.key(), plain);
    }

    /// Puts an object in, or takes one out.
    pub(super) fn change(&mut self, random: &mut Rng) {
        self.version += 1;
        let plain = Plain::random(random, self.version);
        if random.u8(..4) > 0 {
            self.put(plain);
        } else if let Some(mut gone) = self.plain.remove(&plain.key()) {
            gone.version = self.version;
            self.source.delete(&gone.json().raw());
        }
        self.source.flush();
    }

    /// Adds an index over a path; over none, that of labels.
    pub(super) fn add_index(&self, path: &str, ordered: bool) {
        let shared = &self.shared;
        match path {
            "spec.node" => shared.add_index(Spec::new(NODE, ordered)),
            "spec.ready" => shared.add_index(Spec::new(READY, ordered)),
            "spec.size" => shared.add_index(Spec::new(SIZE, ordered)),
            "spec.images[]" => shared.add_index(Spec::new(IMAGE, ordered)),
            "spec.port" => shared.add_index(Spec::new(PORT, ordered)),
            _ => shared.built_in(Labels).0,
        };
    }

    pub(super) fn moment(&self) -> Moment {
        Moment {
            snapshot: Snapshot::new(self.shared.state()),
            plain: self.plain.clone(),
        }
    }
}
