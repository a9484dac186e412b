//! What a query selects is what a look at each object selects: with and without indexes, at each moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fastrand::Rng;

use super::model::{Ask, IMAGE, NODE, PORT, Plain, READY, SIZE, Thing, Things};
use crate::entry::SourceId;
use crate::identity::ResourceVersion;
use crate::kept::Transform;
use crate::key::ObjectKey;
use crate::kind::{Kind, Scope};
use crate::observe::Observed;
use crate::query::Query;
use crate::sink::Sink;
use crate::store::{Coverage, Labels, Shared, Snapshot, Source, Spec};

/// A store, and what is in it.
struct World {
    shared: Arc<Shared<Things>>,
    source: Source<Things>,
    plain: BTreeMap<String, Plain>,
    version: u64,
}

/// One moment of it.
struct Moment {
    snapshot: Snapshot<Things>,
    plain: BTreeMap<String, Plain>,
}

impl World {
    fn new() -> Self {
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

    fn change(&mut self, random: &mut Rng) {
        self.version += 1;
        let plain = Plain::random(random, self.version);
        if random.u8(..4) > 0 {
            self.source.upsert(&plain.json().raw());
            self.plain.insert(plain.key(), plain);
        } else if let Some(mut gone) = self.plain.remove(&plain.key()) {
            gone.version = self.version;
            self.source.delete(&gone.json().raw());
        }
        self.source.flush();
    }

    fn add_index(&self, which: u32, ordered: bool) {
        let shared = &self.shared;
        match which {
            0 => shared.add_index(Spec::new(NODE, ordered)),
            1 => shared.add_index(Spec::new(READY, ordered)),
            2 => shared.add_index(Spec::new(SIZE, ordered)),
            3 => shared.add_index(Spec::new(IMAGE, ordered)),
            4 => shared.add_index(Spec::new(PORT, ordered)),
            _ => shared.built_in(Labels).0,
        };
    }

    fn moment(&self) -> Moment {
        Moment {
            snapshot: Snapshot::new(self.shared.state()),
            plain: self.plain.clone(),
        }
    }
}

impl Moment {
    fn check(&self, ask: &Ask, query: &Query<Thing>, say: &dyn Fn() -> String) {
        let selected: Vec<String> = self.snapshot.select(query).keys().map(shown).collect();
        let wanted: BTreeSet<String> = self
            .plain
            .values()
            .filter(|object| ask.holds(object))
            .map(Plain::key)
            .collect();
        let count = self.snapshot.select(query).count();
        assert_eq!(selected.len(), count, "{}: {query}", say());
        assert_eq!(
            selected.len(),
            wanted.len(),
            "{}: {query}: each once",
            say()
        );
        let selected: BTreeSet<String> = selected.into_iter().collect();
        assert_eq!(selected, wanted, "{}: {query}", say());
    }
}

fn shown(key: ObjectKey) -> String {
    key.to_string()
}

#[tokio::test]
async fn what_a_query_selects_is_what_a_look_at_each_object_does() {
    let seed = crate::test_seed();
    let mut random = Rng::with_seed(seed);
    for round in 0..40 {
        let mut world = World::new();
        let mut missing: Vec<u32> = (0..6).filter(|_| random.bool()).collect();
        random.shuffle(&mut missing);
        let mut moments = Vec::new();
        for step in 0..60 {
            (0..random.u32(..20)).for_each(|_| world.change(&mut random));
            if random.u8(..8) == 0 {
                if let Some(which) = missing.pop() {
                    world.add_index(which, random.bool());
                }
            }
            moments.push(world.moment());
            let ask = Ask::random(&mut random, 3);
            let query = ask.query();
            let old = random.usize(..moments.len());
            for at in [moments.len() - 1, old] {
                let say = || format!("seed {seed}, round {round}, step {step}, moment {at}");
                moments[at].check(&ask, &query, &say);
            }
        }
    }
}
