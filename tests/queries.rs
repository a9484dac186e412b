//! Reads by queries: from typed parts and from the texts that kubectl takes, through whatever indexes there are.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use larder::core::v1::{Node, NodeInformer, Pod, PodInformer, PodMetadataInformer, pod};
use larder::{
    Dynamic, DynamicObject, Extract, InformerOptions, InvalidQuery, Kept, Kind, LabelSelector,
    List, PartialObjectMetadata, Query, ReadError, Scope, computed, field,
};
use larder_sim::Sim;
use serde_json::{Value, json};
use support::{SOON, client, cluster, labelled, node, settle};

fn names(list: List<pod::Full>) -> Vec<String> {
    let mut names: Vec<_> = list.filter_map(|pod| pod.metadata.name.clone()).collect();
    names.sort_unstable();
    names
}

fn labels(text: &str) -> LabelSelector {
    text.parse().unwrap()
}

/// On a node, in a phase; `""` is none.
fn placed(name: &str, app: &str, node: &str, phase: &str) -> Value {
    let namespace = if app == "web" { "front" } else { "back" };
    let mut pod = labelled(namespace, name, &json!({"app": app}));
    if !node.is_empty() {
        pod["spec"]["nodeName"] = node.into();
    }
    pod["status"]["phase"] = phase.into();
    pod
}

fn pods() -> Sim {
    cluster([
        placed("w1", "web", "n1", "Running"),
        placed("w2", "web", "n2", "Failed"),
        placed("w3", "web", "", "Pending"),
        placed("a1", "api", "n1", "Running"),
        placed("a2", "api", "n1", "Failed"),
        placed("a3", "api", "n2", "Running"),
    ])
}

async fn informer(sim: &Sim) -> PodInformer {
    let pods = PodInformer::spawn(client(sim), InformerOptions::default()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    pods
}

#[tokio::test(start_paused = true)]
async fn c024_c034_labels_and_fields_select_together_with_and_without_indexes() {
    let sim = pods();
    let informer = informer(&sim).await;
    let lister = informer.lister();
    let on = field!(Pod, spec.nodeName);
    let phase = field!(Pod, status.phase);
    let rows: [(Query<Pod>, &[&str]); 12] = [
        (Query::everything(), &["a1", "a2", "a3", "w1", "w2", "w3"]),
        (on.eq("n1"), &["a1", "a2", "w1"]),
        (on.ne("n1"), &["a3", "w2", "w3"]),
        (on.is_in(["n1", "n2"]), &["a1", "a2", "a3", "w1", "w2"]),
        (on.not_in(["n1", "n2"]), &["w3"]),
        (on.exists(), &["a1", "a2", "a3", "w1", "w2"]),
        (on.absent(), &["w3"]),
        (
            on.eq("n1").and(labels("app=api")).and(phase.ne("Failed")),
            &["a1"],
        ),
        (
            on.eq("n2").or(on.absent()).and(labels("app=web")),
            &["w2", "w3"],
        ),
        (
            Query::from(labels("app notin (web)")).or(phase.eq("Pending")),
            &["a1", "a2", "a3", "w3"],
        ),
        (
            pod::selectable::SPEC_NODE_NAME
                .eq("")
                .and(pod::selectable::STATUS_PHASE.ne(""))
                .into(),
            &["w3"],
        ),
        (!on.exists(), &["w3"]),
    ];
    let mut plans = Vec::new();
    for indexes in 0..3 {
        match indexes {
            1 => drop(informer.add_index(on).unwrap()),
            2 => informer.index_labels(),
            _ => {}
        }
        for (query, wanted) in &rows {
            let selected = names(lister.select(query).unwrap());
            assert_eq!(selected, *wanted, "{query}, {indexes} indexes");
        }
        plans.push(lister.explain(&rows[7].0).unwrap().to_string());
    }
    assert_eq!(
        plans,
        [
            r#"all of 6 objects; each tested for spec.nodeName = "n1" and labels app=api and status.phase != "Failed""#,
            r#"index spec.nodeName (spec.nodeName = "n1"): 3 of 6 objects; each tested for labels app=api and status.phase != "Failed""#,
            r#"index spec.nodeName (spec.nodeName = "n1"): 3 of 6 objects; each tested for labels app=api and status.phase != "Failed""#,
        ]
    );
    let by_labels = lister.explain(labels("app=web")).unwrap();
    assert_eq!((by_labels.candidates(), by_labels.tests().len()), (3, 0));
    assert_eq!(by_labels.steps()[0].index, "metadata.labels");

    // The same state afterwards, and what has changed meanwhile.
    let query = on.eq("n1").and(labels("app=web"));
    let before = informer.store().snapshot();
    let moved = json!({"metadata": {"labels": {"app": "web"}}});
    sim.patch("pods", "back", "a1", &moved).unwrap();
    settle().await;
    assert_eq!(names(before.select(&query)), ["w1"]);
    assert_eq!(names(lister.select(&query).unwrap()), ["a1", "w1"]);
    assert_eq!(before.explain(&query).objects(), 6);
}

#[tokio::test(start_paused = true)]
async fn c006_c010_a_query_within_a_namespace() {
    let sim = pods();
    let options = InformerOptions::default().namespaces(["front"]);
    let informer = PodInformer::spawn(client(&sim), options).unwrap();
    let lister = informer.lister();
    let on_n1 = field!(Pod, spec.nodeName).eq("n1");
    let early = lister.select(&on_n1).map(drop).unwrap_err();
    assert!(matches!(early, ReadError::NotSynced { .. }), "{early}");
    assert!(lister.explain(&on_n1).is_err());
    informer.wait_for_sync(SOON).await.unwrap();

    let front = lister.namespace("front");
    assert_eq!(names(front.select(&on_n1).unwrap()), ["w1"]);
    assert_eq!(
        front.explain(&on_n1).unwrap().to_string(),
        r#"index metadata.namespace (metadata.namespace = "front"): 3 of 3 objects; each tested for spec.nodeName = "n1""#
    );
    let unwatched = |error: ReadError| matches!(error, ReadError::NamespaceNotWatched { .. });
    let in_back = field!(Pod, metadata.namespace).eq("back");
    for query in [
        lister.fields("metadata.namespace=back").unwrap(),
        in_back.clone(),
        on_n1.clone().and(in_back),
    ] {
        let error = lister.select(query).map(drop).unwrap_err();
        assert!(unwatched(error.clone()), "{error}");
    }
    let error = lister
        .namespace("back")
        .select(&on_n1)
        .map(drop)
        .unwrap_err();
    assert!(unwatched(error.clone()), "{error}");
    let both = lister
        .query("app=web", "metadata.name=w2,metadata.namespace=front")
        .unwrap();
    assert_eq!(names(front.select(&both).unwrap()), ["w2"]);
    assert!(
        lister
            .explain(&both)
            .unwrap()
            .to_string()
            .starts_with("index metadata.name")
    );
}

/// An index whose keys are no values at a path, but which texts may name all the same.
struct ByPool;

impl<R: Kept<Stored = Arc<Pod>>> Extract<R> for ByPool {
    type Key = String;

    fn path(&self) -> Option<&str> {
        Some("spec.pool")
    }

    fn keys(&self, pod: &Arc<Pod>, emit: &mut dyn FnMut(String)) {
        let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
        node.into_iter()
            .for_each(|node| emit(format!("pool-{node}")));
    }

    fn query(&self, value: &str) -> Option<Query<Pod>> {
        Some(field!(Pod, spec.nodeName).eq(value.strip_prefix("pool-")?))
    }
}

#[tokio::test(start_paused = true)]
async fn c012_c024_texts_name_the_servers_fields_and_the_indexes_that_there_are() {
    let sim = pods();
    let informer = informer(&sim).await;
    let lister = informer.lister();
    let selected = |text: &str| {
        lister
            .select(lister.fields(text).unwrap())
            .map(names)
            .unwrap()
    };
    assert_eq!(selected("spec.nodeName=n1,status.phase!=Running"), ["a2"]);
    assert_eq!(
        selected("spec.nodeName="),
        ["w3"],
        "absent reads as nothing"
    );
    assert_eq!(selected("metadata.name=a1"), ["a1"]);
    assert_eq!(selected(""), ["a1", "a2", "a3", "w1", "w2", "w3"]);

    let unknown = lister
        .fields("spec.nodeName=n1,spec.containers[].image=x")
        .unwrap_err();
    let text = unknown.to_string();
    assert!(
        text.starts_with(
            "field selector \"spec.nodeName=n1,spec.containers[].image=x\": at character 18: \"spec.containers[].image\" cannot be named; what can: \
             metadata.name, metadata.namespace, "
        ) && text.contains("status.phase")
            && text.ends_with(". Add an index on it, or select by `field!`"),
        "{text}"
    );
    let InvalidQuery::UnknownField { near, .. } = lister.fields("spec.nodename=n1").unwrap_err()
    else {
        panic!("it is no other error");
    };
    assert_eq!(near.as_deref(), Some("spec.nodeName"));

    // A pair of paths is no name, so it is not what was meant.
    let pair = field!(Pod, metadata.namespace).with(field!(Pod, spec.priorityClassName));
    informer.add_index(pair).unwrap();
    let InvalidQuery::UnknownField {
        near, names: known, ..
    } = lister.fields("priorityClassName=high").unwrap_err()
    else {
        panic!("it is no other error");
    };
    assert!(
        near.is_none() && known.iter().all(|name| !name.contains(',')),
        "{near:?}, {known:?}"
    );
    // Nor is the labels index, whether there is one or not.
    for _ in 0..2 {
        let error = lister.fields("metadata.labels=web").unwrap_err();
        assert!(
            matches!(error, InvalidQuery::UnknownField { .. }),
            "{error}"
        );
        informer.index_labels();
    }
    // A namespace that no object can be in is not one that is not watched.
    assert_eq!(
        lister
            .select(lister.fields("metadata.namespace=").unwrap())
            .unwrap()
            .count(),
        0
    );

    informer
        .add_index(field!(Pod, spec.containers[].image))
        .unwrap();
    informer.add_index(field!(Pod, spec.priority)).unwrap();
    informer.add_index(ByPool).unwrap();
    informer
        .add_index(computed(|pod: &Pod| pod.metadata.name.clone()))
        .unwrap();
    assert_eq!(
        selected("spec.containers[].image=image,spec.nodeName=n2"),
        ["a3", "w2"]
    );
    assert_eq!(selected("spec.pool!=pool-n1"), ["a3", "w2", "w3"]);
    let by_image = lister.fields("spec.containers[].image=image").unwrap();
    assert_eq!(
        lister.explain(by_image).unwrap().to_string(),
        r#"index spec.containers[].image (spec.containers[].image = "image"): 6 of 6 objects"#
    );
    for (text, at, value) in [
        ("spec.priority=high", 0, "high"),
        ("spec.nodeName=n1,spec.pool=n1", 17, "n1"),
    ] {
        match lister.fields(text).unwrap_err() {
            InvalidQuery::Value {
                at: found,
                value: bad,
                ..
            } => assert_eq!((found, bad.as_str()), (at, value)),
            other => panic!("{text}: {other}"),
        }
    }
    let namespaced = lister.namespace("back");
    let query = namespaced.query("app=api", "status.phase=Failed").unwrap();
    assert_eq!(names(namespaced.select(query).unwrap()), ["a2"]);
    assert!(namespaced.query("app in", "").is_err());
    assert!(namespaced.fields("status.phase").is_err());
}

#[tokio::test(start_paused = true)]
async fn c005_c024_metadata_and_dynamic_objects_are_selected_as_well() {
    let sim = pods();
    let metadata = PodMetadataInformer::new(client(&sim), InformerOptions::new()).unwrap();
    metadata.wait_for_sync(SOON).await.unwrap();
    let lister = metadata.lister();
    let web =
        Query::from(labels("app=web")).and(field!(PartialObjectMetadata, metadata.name).ne("w1"));
    assert_eq!(lister.select(web).unwrap().count(), 2);
    let named = lister
        .fields("metadata.name!=w1,metadata.namespace=front")
        .unwrap();
    assert_eq!(lister.select(named).unwrap().count(), 2);
    let error = lister.fields("spec.nodeName=n1").unwrap_err().to_string();
    assert!(
        error.contains("cannot be named; what can: metadata.name, metadata.namespace."),
        "{error}"
    );

    let kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
    let dynamic =
        larder::DynamicInformer::spawn(client(&sim), kind, InformerOptions::default()).unwrap();
    dynamic.wait_for_sync(SOON).await.unwrap();
    let lister = dynamic.lister();
    let images = computed(|object: &DynamicObject| {
        object.data["spec"]["nodeName"].as_str().map(str::to_owned)
    });
    dynamic.add_index(images).unwrap();
    let query =
        Query::from(labels("app=api")).and(field!(DynamicObject, metadata.namespace).eq("back"));
    assert_eq!(lister.select(&query).unwrap().count(), 3);
    assert!(
        lister
            .explain(query)
            .unwrap()
            .to_string()
            .starts_with("index metadata.namespace")
    );
    assert_eq!(
        lister
            .select(lister.fields("metadata.name=a1").unwrap())
            .unwrap()
            .count(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn c031_objects_of_the_cluster_have_no_namespace() {
    let sim = cluster([node("n1", &json!({})), node("n2", &json!({"zone": "a"}))]);
    let nodes: NodeInformer =
        NodeInformer::spawn(client(&sim), InformerOptions::default()).unwrap();
    nodes.wait_for_sync(SOON).await.unwrap();
    let lister = nodes.lister();
    let count = |query: Query<Node>| lister.select(query).unwrap().count();
    assert_eq!(count(lister.fields("metadata.name=n1").unwrap()), 1);
    assert_eq!(count(field!(Node, metadata.namespace).absent()), 2);
    assert_eq!(count(field!(Node, metadata.namespace).eq("a")), 0);
    assert_eq!(count(labels("zone").into()), 1);
    let mut by_cordon = BTreeMap::new();
    for text in [
        "spec.unschedulable=false",
        "spec.unschedulable=true",
        "spec.unschedulable!=true",
    ] {
        by_cordon.insert(text, count(lister.fields(text).unwrap()));
    }
    assert_eq!(
        by_cordon.into_values().collect::<Vec<_>>(),
        [2, 2, 0],
        "what is absent is false"
    );
}

/// A query may be kept and shared, and a list of one sent elsewhere.
#[test]
fn queries_are_values() {
    fn is_value<T: Clone + Send + Sync + 'static>() {}
    fn is_sent<T: Send + 'static>() {}
    is_value::<Query<Pod>>();
    is_sent::<List<pod::Full>>();
    is_sent::<List<Dynamic>>();
}

#[tokio::test(start_paused = true)]
async fn an_error_names_nothing_that_cannot_be_named() {
    let sim = cluster([support::pod("a", "x")]);
    let pods = informer(&sim).await;
    let place = field!(Pod, metadata.namespace).with(field!(Pod, spec.nodeName));
    pods.add_index(place).unwrap();
    pods.add_index(field!(Pod, metadata.annotations["a=b,c"]))
        .unwrap();
    pods.add_index(field!(Pod, metadata.annotations["plain"]))
        .unwrap();
    pods.indexer().by_owner("u").unwrap().for_each(drop);
    let lister = pods.lister();
    let refused = |text: &str| match lister.fields(text).unwrap_err() {
        InvalidQuery::UnknownField { names, .. } => names,
        other => panic!("{text}: {other}"),
    };
    for name in refused("spec.subdomain=x") {
        let read = lister.fields(&format!("{name}=1"));
        assert!(
            !matches!(
                &read,
                Err(InvalidQuery::UnknownField { .. } | InvalidQuery::Syntax { .. })
            ),
            "{name}: {read:?}"
        );
    }
    // Whether anybody has used a built-in index makes no difference to what a text may name.
    refused("metadata.ownerReferences[].uid=u");
    pods.index_labels();
    refused("metadata.labels=u");
    // An index of one's own over the path of a built-in one can be named, and so is.
    pods.add_index(field!(Pod, metadata.ownerReferences[].uid))
        .unwrap();
    assert!(lister.fields("metadata.ownerReferences[].uid=u").is_ok());
    assert!(refused("spec.subdomain=x").contains(&"metadata.ownerReferences[].uid".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_text_with_a_value_that_the_field_never_has_is_refused() {
    let sim = cluster([support::pod("a", "x"), support::node("n", &json!({}))]);
    let pods = informer(&sim).await;
    for text in [
        "spec.hostNetwork=yes",
        "spec.hostNetwork=True",
        "spec.hostNetwork!=1",
        "spec.hostNetwork=",
    ] {
        let error = pods.lister().fields(text).map(|query| query.to_string());
        assert!(
            matches!(&error, Err(InvalidQuery::Value { .. })),
            "{text}: {error:?}"
        );
    }
    for text in [
        "spec.hostNetwork=false",
        "spec.hostNetwork!=true",
        "spec.nodeName=",
    ] {
        assert_eq!(
            names(
                pods.lister()
                    .select(pods.lister().fields(text).unwrap())
                    .unwrap()
            ),
            ["x"],
            "{text}"
        );
    }
    let nodes: NodeInformer =
        NodeInformer::spawn(client(&sim), InformerOptions::default()).unwrap();
    assert!(nodes.lister().fields("spec.unschedulable=no").is_err());
}
