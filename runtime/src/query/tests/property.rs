//! What a query selects is what a look at each object selects: with and without indexes, at each moment.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::model::{Ask, Plain, Thing};
use super::world::{Moment, World};
use crate::key::ObjectKey;
use crate::query::Query;

impl Moment {
    fn check(&self, ask: &Ask, query: &Query<Thing>, say: &dyn Fn() -> String) {
        let plan = self.snapshot.explain(query);
        let say = || format!("{}: {query}: {plan}", say());
        let selected: Vec<String> = self.snapshot.select(query).keys().map(shown).collect();
        let wanted: BTreeSet<String> = self
            .plain
            .values()
            .filter(|object| ask.holds(object))
            .map(Plain::key)
            .collect();
        let count = self.snapshot.select(query).count();
        assert_eq!(selected.len(), count, "{}", say());
        assert_eq!(selected.len(), wanted.len(), "{}: each once", say());
        assert!(selected.len() <= plan.candidates(), "{}", say());
        assert!(plan.candidates() <= plan.objects(), "{}", say());
        let selected: BTreeSet<String> = selected.into_iter().collect();
        assert_eq!(selected, wanted, "{}", say());
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
