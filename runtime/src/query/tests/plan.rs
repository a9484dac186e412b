//! Which index leads, and what is left to be tested.

use super::model::{APP, IMAGE, NAMESPACE, NODE, Plain, SIZE, Thing};
use super::world::World;
use crate::query::Query;
use crate::selector::LabelSelector;

/// A hundred objects: ten namespaces, five nodes, two apps, three sizes of which a third of the objects has none.
fn world() -> World {
    let mut world = World::new();
    for at in 0..100 {
        let size = (at % 3 > 0).then(|| (at % 3).to_string());
        let fields = [
            ("spec.node", vec![format!("n{}", at % 5)]),
            ("spec.size", size.into_iter().collect()),
            ("spec.images[]", vec!["all".into(), format!("i{at}")]),
        ];
        let labels = [("app", if at < 30 { "web" } else { "api" })];
        world.put(Plain::new(&format!("ns{}/x{at}", at / 10), labels, fields));
    }
    world
}

fn labels(text: &str) -> Query<Thing> {
    text.parse::<LabelSelector>().unwrap().into()
}

#[tokio::test]
async fn without_an_index_everything_is_looked_at() {
    let world = world();
    let snapshot = world.moment().snapshot;
    let plan = snapshot.explain(NODE.eq("n1").and(labels("app=web")));
    assert!(plan.is_scan() && plan.steps().is_empty());
    assert_eq!((plan.objects(), plan.candidates()), (100, 100));
    assert_eq!(
        plan.to_string(),
        r#"all of 100 objects; each tested for spec.node = "n1" and labels app=web"#
    );
    let everything = snapshot.explain(Query::everything());
    assert_eq!(everything.to_string(), "all of 100 objects");
}

#[tokio::test]
async fn the_index_with_the_fewest_objects_leads() {
    let world = world();
    let old = world.moment().snapshot;
    for path in ["spec.node", "spec.size", "spec.images[]", ""] {
        world.add_index(path, path == "spec.images[]");
    }
    let snapshot = world.moment().snapshot;
    let in_ns1 = || super::text::parse("metadata.namespace=ns1").unwrap();
    let named = || super::text::parse("metadata.name=x15").unwrap();
    for (query, plan) in [
        (
            NODE.eq("n1"),
            r#"index spec.node (spec.node = "n1"): 20 of 100 objects"#,
        ),
        (
            NODE.is_in(["n1", "n2", "none"]),
            r#"index spec.node (spec.node in ["n1", "n2", "none"]): 40 of 100 objects"#,
        ),
        (
            NODE.eq("n1").and(labels("app=web,app!=api")),
            r#"index spec.node (spec.node = "n1"): 20 of 100 objects; each tested for labels app=web,app!=api"#,
        ),
        (
            NODE.is_in(["n1", "n2"]).and(labels("app=web")),
            r#"index metadata.labels (labels app=web): 30 of 100 objects; each tested for spec.node in ["n1", "n2"]"#,
        ),
        (
            labels("app in (web),!tier"),
            "index metadata.labels (labels app=web,!tier): 30 of 100 objects; each tested for labels app=web,!tier",
        ),
        (
            APP.is_in(["web", "none"]),
            r#"index metadata.labels (metadata.labels["app"] in ["none", "web"]): 30 of 100 objects"#,
        ),
        (
            APP.exists(),
            r#"all of 100 objects; each tested for metadata.labels["app"] exists"#,
        ),
        (
            in_ns1().and(NODE.eq("n1")),
            r#"index metadata.namespace (metadata.namespace = "ns1"): 10 of 100 objects; each tested for spec.node = "n1""#,
        ),
        (
            in_ns1().and(named()),
            r#"index metadata.name (metadata.name = "x15"): 1 of 100 objects; each tested for metadata.namespace = "ns1""#,
        ),
        (
            named(),
            r#"index metadata.name (metadata.name = "x15"): 1 of 100 objects"#,
        ),
        (
            NAMESPACE.is_in(["ns1", "ns2"]),
            r#"index metadata.namespace (metadata.namespace in ["ns1", "ns2"]): 20 of 100 objects; each tested for metadata.namespace in ["ns1", "ns2"]"#,
        ),
        (
            NODE.ne("n1"),
            r#"all of 100 objects; each tested for spec.node != "n1""#,
        ),
        (
            NODE.eq("n1").or(SIZE.eq(2)),
            r#"index spec.node (spec.node = "n1"): 20, index spec.size (spec.size = 2): 33, together 53 of 100 objects"#,
        ),
        (
            NODE.eq("n1").or(SIZE.ne(2)),
            r#"all of 100 objects; each tested for (spec.node = "n1" or spec.size != 2)"#,
        ),
        (
            SIZE.exists(),
            "index spec.size (spec.size exists): 66 of 100 objects",
        ),
        (
            IMAGE.exists(),
            "all of 100 objects; each tested for spec.images[] exists",
        ),
        (
            IMAGE.is_in(["all", "i1"]),
            r#"all of 100 objects; each tested for spec.images[] in ["all", "i1"]"#,
        ),
        (
            NODE.eq("none").and(SIZE.exists()),
            r#"index spec.node (spec.node = "none"): 0 of 100 objects; each tested for spec.size exists"#,
        ),
        (
            NODE.is_in([""; 0]),
            r#"index spec.node (spec.node in []): 0 of 100 objects"#,
        ),
    ] {
        assert_eq!(snapshot.explain(&query).to_string(), plan);
        assert!(
            old.explain(&query).is_scan() || plan.contains("metadata.n"),
            "{query}"
        );
        assert_eq!(old.select(&query).count(), snapshot.select(query).count());
    }
}
