//! What a query selects is what a look at each object selects: with and without indexes, at each moment.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::model::{Ask, Plain, Thing};
use super::world::{Moment, World};
use crate::query::Query;

impl Moment {
    fn check(&self, ask: &Ask, query: &Query<Thing>, say: &dyn Fn() -> String) {
        let plan = self.snapshot.explain(query);
        let say = || format!("{}: {query}: {plan}", say());
        let selected: Vec<String> = self
            .snapshot
            .select(query)
            .keys()
            .map(|key| key.to_string())
            .collect();
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

#[tokio::test]
async fn what_a_query_selects_is_what_a_look_at_each_object_does() {
    let seed = crate::test_seed();
    let mut random = Rng::with_seed(seed);
    for round in 0..12 {
        let mut world = World::new();
        let mut missing = vec![
            "spec.node",
            "spec.ready",
            "spec.size",
            "spec.images[]",
            "spec.port",
            "",
        ];
        random.shuffle(&mut missing);
        missing.truncate(random.usize(..=missing.len()));
        let mut there = Vec::new();
        let mut moments = Vec::new();
        for step in 0..60 {
            (0..random.u32(..20)).for_each(|_| world.change(&mut random));
            if random.u8(..4) == 0
                && let Some(path) = missing.pop()
            {
                world.add_index(path, random.bool());
                there.push(path);
            }
            moments.push(world.moment());
            for ask in 0..8 {
                let now = random.bool();
                let at = if now { step } else { random.usize(..=step) };
                let say =
                    || format!("seed {seed}, round {round}, step {step}, ask {ask}, moment {at}");
                let depth = random.u32(..4);
                let ask = Ask::random(&mut random, depth);
                moments[at].check(&ask, &ask.query(), &say);
            }
            let (ask, text) = Ask::random_text(&mut random, &there);
            let query = moments[step].snapshot.fields(&text);
            let query = query.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for at in [step, random.usize(..=step)] {
                let say =
                    || format!("seed {seed}, round {round}, step {step}, {text:?}, moment {at}");
                moments[at].check(&ask, &query, &say);
            }
        }
    }
}
