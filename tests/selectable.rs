//! The fields that the server selects by: as constants for selectors, and as indexes that are made when they are first used.

mod support;

use std::sync::Arc;

use larder::core::v1::{
    Event, EventInformer, NodeInformer, Pod, PodInformer, PodMetadataInformer, event, node, pod,
};
use larder::{
    Cache, InformerOptions, KeptFields, LabelSelector, List, Metadata, ReadError, ReflectorFailure,
    Selectable, Transport,
};
use serde_json::{Value, json};
use support::{SOON, client, cluster, labelled, node as labelled_node, settle, until};

fn names(list: Result<List<pod::Full>, ReadError>) -> Vec<String> {
    let mut names: Vec<_> = list.unwrap().keys().map(|key| key.to_string()).collect();
    names.sort_unstable();
    names
}

async fn synced(client: impl Transport) -> PodInformer {
    let pods = PodInformer::spawn(client, InformerOptions::default()).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    pods
}

fn owned(mut object: Value, uid: &str) -> Value {
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": uid}]);
    object
}

#[tokio::test(start_paused = true)]
async fn c024_c026_c131_a_kind_has_indexes_that_are_made_when_they_are_first_used() {
    let mut one = owned(labelled("a", "one", &json!({"app": "web"})), "u-1");
    one["spec"]["nodeName"] = "n-1".into();
    one["spec"]["hostNetwork"] = true.into();
    let two = labelled("b", "two", &json!({"app": "web", "tier": "front"}));
    let sim = cluster([one, two, labelled("b", "one", &json!({}))]);
    let pods = synced(client(&sim)).await;
    let indexer = pods.indexer();
    let app: LabelSelector = "app=web,!tier".parse().unwrap();

    assert_eq!(names(indexer.by_spec_node_name("n-1")), ["a/one"]);
    assert_eq!(names(indexer.by_spec_host_network(true)), ["a/one"]);
    assert_eq!(names(indexer.by_labels(&app)), ["a/one"]);
    assert_eq!(names(indexer.by_owner("u-1")), ["a/one"]);
    assert_eq!(names(indexer.by_metadata_name("one")), ["a/one", "b/one"]);
    // Absent is no key, while the server's selector reads it as a value.
    assert_eq!(names(indexer.by_spec_node_name("")), [""; 0]);
    assert_eq!(names(indexer.by_spec_host_network(false)), [""; 0]);

    let patch = json!({"spec": {"nodeName": "n-1"}, "status": {"phase": "Running"}});
    sim.patch("pods", "b", "two", &patch).unwrap();
    sim.create(owned(labelled("c", "new", &json!({"app": "web"})), "u-1"))
        .unwrap();
    sim.delete_now("pods", "a", "one").unwrap();
    settle().await;
    assert_eq!(names(indexer.by_spec_node_name("n-1")), ["b/two"]);
    assert_eq!(names(indexer.by_spec_host_network(true)), [""; 0]);
    assert_eq!(names(indexer.by_labels(&app)), ["c/new"]);
    assert_eq!(names(indexer.by_owner("u-1")), ["c/new"]);
    assert_eq!(names(indexer.by_metadata_name("one")), ["b/one"]);
    assert_eq!(names(indexer.by_status_phase("Running")), ["b/two"]);
}

#[tokio::test(start_paused = true)]
async fn c014_a_built_in_index_answers_nothing_before_sync() {
    let sim = cluster([support::pod("a", "one")]);
    let cache = Cache::builder(client(&sim)).build();
    let pods = cache.informer::<PodInformer>().unwrap();
    let indexer = pods.indexer();
    let everything = LabelSelector::everything();
    for answer in [
        indexer.by_spec_node_name("n-1"),
        indexer.by_metadata_name("one"),
        indexer.by_owner("u-1"),
        indexer.by_labels(&everything),
    ] {
        assert!(matches!(answer, Err(ReadError::NotSynced { .. })));
    }
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();
    assert_eq!(names(indexer.by_metadata_name("one")), ["a/one"]);
    cache.shutdown(SOON).await.unwrap();
}

/// Numbers, booleans, and a field that stands in one of two places.
#[tokio::test(start_paused = true)]
async fn c024_an_index_reads_a_field_where_the_server_reads_it() {
    let event = |name: &str, fields: Value| {
        let mut event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"namespace": "a", "name": name}, "involvedObject": {}});
        event
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        event
    };
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"namespace": "a", "name": "done"}});
    let sim = cluster([
        event("old", json!({"source": {"component": "kubelet"}})),
        event("new", json!({"reportingComponent": "kubelet"})),
        event(
            "both",
            json!({"source": {"component": "scheduler"}, "reportingComponent": "kubelet"}),
        ),
        event("none", json!({})),
        labelled_node("cordoned", &json!({})),
        job,
    ]);
    let patch = json!({"spec": {"unschedulable": true}});
    sim.patch("nodes", "", "cordoned", &patch).unwrap();
    let patch = json!({"status": {"succeeded": 3}});
    sim.patch("jobs.batch", "a", "done", &patch).unwrap();

    let cache = Cache::builder(client(&sim)).build();
    let events = cache.informer::<EventInformer>().unwrap();
    let nodes = cache.informer::<NodeInformer>().unwrap();
    let jobs = cache.informer::<larder::batch::v1::JobInformer>().unwrap();
    cache.start().unwrap();
    cache.wait_for_cache_sync(SOON).await.unwrap();

    // Queries find without an index what they find with one.
    let queries = || {
        let lister = events.lister();
        let query = lister.fields("source=kubelet").unwrap();
        let way = lister.explain(&query).unwrap();
        let jobs = jobs.lister();
        let done = jobs.fields("status.successful=3").unwrap();
        let found = (
            lister.select(&query).unwrap().count(),
            jobs.select(&done).unwrap().count(),
        );
        let ways = (way.is_scan(), jobs.explain(&done).unwrap().is_scan());
        (found, ways)
    };
    assert_eq!(queries(), ((2, 1), (true, true)));
    let by_source = |source: &str| {
        let found = events.indexer().by_source(source).unwrap();
        let mut names: Vec<_> = found.keys().map(|key| key.name().to_owned()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(by_source("kubelet"), ["new", "old"]);
    assert_eq!(by_source("scheduler"), ["both"]);
    assert_eq!(by_source(""), [""; 0]);
    let succeeded = jobs.indexer().by_status_successful(3).unwrap();
    assert_eq!(succeeded.count(), 1);
    assert_eq!(queries(), ((2, 1), (false, false)));
    let cordoned = nodes.indexer().by_spec_unschedulable(true).unwrap();
    assert_eq!(cordoned.count(), 1);
    cache.shutdown(SOON).await.unwrap();
}

/// A selector that a server evaluates is evaluated here alike: what is absent has a value.
#[tokio::test(start_paused = true)]
async fn c034_a_selector_of_constants_is_evaluated_as_the_server_does() {
    let mut on = support::pod("a", "on");
    on["spec"]["nodeName"] = "n-1".into();
    let sim = cluster([on, support::pod("b", "off")]);
    let pods = synced(client(&sim)).await;
    let selected = |selector: larder::FieldSelector<Pod>| {
        let all = pods.lister().list().unwrap();
        let mut selected: Vec<_> = all
            .filter(|pod: &Arc<Pod>| selector.matches(pod))
            .filter_map(|pod| pod.metadata.name.clone())
            .collect();
        selected.sort_unstable();
        selected
    };
    use pod::selectable::{METADATA_NAMESPACE, SPEC_HOST_NETWORK, SPEC_NODE_NAME};
    assert_eq!(selected(SPEC_NODE_NAME.eq("n-1")), ["on"]);
    assert_eq!(selected(SPEC_NODE_NAME.eq("")), ["off"]);
    assert_eq!(selected(SPEC_HOST_NETWORK.eq(false)), ["off", "on"]);
    assert_eq!(selected(METADATA_NAMESPACE.ne("a")), ["off"]);
    assert_eq!(
        selected(METADATA_NAMESPACE.eq("a").and(SPEC_NODE_NAME.ne("n-1"))),
        [""; 0]
    );
}

/// What texts may name is what the constants are.
#[test]
fn kept_fields_are_the_constants() {
    let paths =
        |fields: &[Selectable<Event>]| fields.iter().map(|field| field.path()).collect::<Vec<_>>();
    assert_eq!(paths(event::Full::FIELDS), paths(event::selectable::ALL));
    assert_eq!(node::Full::FIELDS.len(), 2);
    let of_metadata: Vec<_> = Metadata::FIELDS.iter().map(|field| field.path()).collect();
    assert_eq!(of_metadata, ["metadata.name", "metadata.namespace"]);
}

/// Options that are not about one kind have the two fields that every kind has.
#[tokio::test(start_paused = true)]
async fn c034_metadata_alone_is_selected_by_constants_too() {
    let sim = cluster([support::pod("a", "one"), support::pod("a", "two")]);
    let selected = async |options: InformerOptions<Metadata>| {
        let pods = PodMetadataInformer::new(client(&sim), options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        let keys = pods.lister().list().unwrap().keys();
        keys.map(|key| key.to_string()).collect::<Vec<_>>()
    };
    let options = InformerOptions::new().fields(Selectable::METADATA_NAME.ne("one"));
    assert_eq!(selected(options).await, ["a/two"]);
    // The server selects by what it does not send; the text is the same.
    let unscheduled = pod::selectable::SPEC_NODE_NAME.ne("");
    let options = InformerOptions::new().field_selector(unscheduled);
    assert_eq!(selected(options).await, [""; 0]);
}

async fn last_failure<R: larder::Kept>(
    informer: &larder::Informer<R>,
    holds: impl Fn(&ReflectorFailure) -> bool,
) {
    until("the failure", || {
        let last = informer
            .health()
            .sources
            .into_iter()
            .find_map(|source| source.last_error);
        last.is_some_and(|last| holds(last.error.failure()))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn c063_a_field_that_the_server_does_not_select_by_is_an_error_of_its_own() {
    let sim = cluster([support::pod("a", "one")]);
    for listing in [true, false] {
        let reflector = larder::ReflectorOptions::default().streaming_list(listing);
        let options = InformerOptions::new()
            .field_selector("spec.misspelt=x")
            .reflector(reflector);
        let pods = PodInformer::new(client(&sim), options).unwrap();
        last_failure(&pods, |failure| {
            matches!(failure, ReflectorFailure::UnselectableField { message } if message.as_deref().is_some_and(|text| text.contains("spec.misspelt")))
        })
        .await;
        let error = pods.wait_for_sync(SOON).await.unwrap_err().to_string();
        assert!(
            error.contains("cannot select by a field") && error.contains("spec.misspelt"),
            "{error}"
        );
    }
}

k8s_openapi::k8s_if_ge_1_37! {
    /// Code for 1.37 on a server of 1.36.
    #[tokio::test(start_paused = true)]
    async fn c063_a_field_that_an_older_server_does_not_know_is_said_and_waited_for() {
        use larder::resource::v1::{ResourceSliceInformer, resource_slice};

        let slices = |newer: bool| {
            let mut kind = larder_sim::Kind::new("resource.k8s.io", "v1", "ResourceSlice", "resourceslices").cluster_scoped();
            kind.selectable.retain(|field| newer || field.label() != "spec.pool.name");
            kind
        };
        let sim = larder_sim::Sim::new();
        sim.add_kind(slices(false));
        let slice = |name: &str, pool: &str| {
            json!({
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceSlice",
                "metadata": {"name": name},
                "spec": {"driver": "gpu.example.com", "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1}},
            })
        };
        let options = InformerOptions::new().fields(resource_slice::selectable::SPEC_POOL_NAME.eq("near"));
        let informer = ResourceSliceInformer::new(client(&sim), options).unwrap();
        last_failure(&informer, |failure| matches!(failure, ReflectorFailure::UnselectableField { .. })).await;

        // The server is upgraded.
        sim.add_kind(slices(true));
        sim.create(slice("a", "near")).unwrap();
        sim.create(slice("b", "far")).unwrap();
        informer.wait_for_sync(SOON * 20).await.unwrap();
        let keys: Vec<_> = informer.lister().list().unwrap().keys().map(|key| key.to_string()).collect();
        assert_eq!(keys, ["a"]);
        assert_eq!(informer.indexer().by_spec_pool_name("near").unwrap().count(), 1);
    }
}
