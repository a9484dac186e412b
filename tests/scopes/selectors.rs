//! c034: what is selected, at every place where a selector may stand, through every representation and way of listing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use larder::TypedInformer as _;
use larder::core::v1::{NodeInformer, Pod, PodInformer, PodMetadataInformer};
use larder::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use larder::{
    Cache, CacheBuilder, CacheError, CacheInformer, Informer, InformerOptions, Kept, KeptLabels,
    NamespaceOptions, ObjectKey, RawObject, ReadError, StoreError, Transform,
};
use larder_sim::Sim;
use serde_json::{Value, json};

use crate::bench::{asked, listed, mark, pods_of, set, started};
use crate::support::{SOON, client, cluster, labelled, listings, node, until};

struct Row {
    labels: Option<&'static str>,
    fields: Option<&'static str>,
    /// Of the pods of both namespaces.
    selected: &'static [&'static str],
}

const ROWS: [Row; 9] = [
    row(None, None, &["a/red-big", "a/red-small", "b/blue"]),
    row(Some("color=red"), None, &["a/red-big", "a/red-small"]),
    row(Some("color=red,size=big"), None, &["a/red-big"]),
    row(None, Some("metadata.name=blue"), &["b/blue"]),
    row(
        None,
        Some("metadata.name!=blue,spec.nodeName=n1"),
        &["a/red-small"],
    ),
    row(
        Some("color=red"),
        Some("spec.nodeName=n1"),
        &["a/red-small"],
    ),
    row(
        Some("color in (red,blue),size!=big"),
        Some("spec.nodeName!=n1"),
        &["b/blue"],
    ),
    row(Some("color=green"), None, &[]),
    row(Some("color=blue"), Some("metadata.name=red-big"), &[]),
];

const fn row(
    labels: Option<&'static str>,
    fields: Option<&'static str>,
    selected: &'static [&'static str],
) -> Row {
    Row {
        labels,
        fields,
        selected,
    }
}

impl Row {
    fn selected_in(&self, namespaces: &[&str]) -> BTreeSet<String> {
        let is_in = |key: &&&str| namespaces.iter().any(|one| key.starts_with(one));
        let keys = self.selected.iter().filter(is_in);
        keys.map(|key| (*key).to_owned()).collect()
    }

    /// The row's selectors, over whatever options they may be set in.
    fn set<T>(
        &self,
        mut options: T,
        labels: impl FnOnce(T, &'static str) -> T,
        fields: impl FnOnce(T, &'static str) -> T,
    ) -> T {
        if let Some(selector) = self.labels {
            options = labels(options, selector);
        }
        if let Some(selector) = self.fields {
            options = fields(options, selector);
        }
        options
    }

    fn of_namespace<R: Kept>(&self) -> NamespaceOptions<R> {
        self.set(
            NamespaceOptions::new(),
            NamespaceOptions::label_selector,
            NamespaceOptions::field_selector,
        )
    }

    fn of_options<R: Kept>(&self) -> InformerOptions<R> {
        self.set(
            InformerOptions::new(),
            InformerOptions::label_selector,
            InformerOptions::field_selector,
        )
    }
}

fn objects() -> [Value; 3] {
    let on = |node: &str, mut pod: Value| {
        pod["spec"]["nodeName"] = json!(node);
        pod
    };
    [
        on(
            "n2",
            labelled("a", "red-big", &json!({"color": "red", "size": "big"})),
        ),
        on("n1", labelled("a", "red-small", &json!({"color": "red"}))),
        on("n2", labelled("b", "blue", &json!({"color": "blue"}))),
    ]
}

/// The whole matrix for one representation of pods: `ask` gets its informer from a cache, `of_kind` says options of the kind to a
/// cache.
async fn matrix<R: Kept>(
    representation: &str,
    ask: impl Fn(&Cache, InformerOptions<R>) -> Result<Informer<R>, CacheError>,
    of_kind: impl Fn(CacheBuilder, InformerOptions<R>) -> CacheBuilder,
) {
    let check = async |sim: &Sim, cache: Cache, options, expected: BTreeSet<String>, case: &str| {
        let informer = ask(&cache, options).unwrap();
        let synced = informer.wait_for_sync(SOON).await;
        synced.unwrap_or_else(|error| panic!("{representation}, {case}: {error}"));
        assert_eq!(listed(&informer), expected, "{representation}, {case}");
        cache.shutdown(SOON).await.unwrap();
        assert_eq!(sim.watchers(), 0, "{representation}, {case}");
    };
    for row in ROWS {
        let everywhere = row.selected_in(&["a", "b"]);
        let in_a = row.selected_in(&["a"]);
        for (listing, reflector) in listings() {
            let sim = cluster(objects());
            let cache = || Cache::builder(client(&sim)).reflector(reflector.clone());
            // A default that selects nothing, which the row's own selectors must beat.
            let beaten = || {
                let nothing = "color=nothing";
                row.set(
                    cache(),
                    |cache, _| cache.label_selector(nothing),
                    |cache, _| cache.field_selector("metadata.name=nothing"),
                )
            };
            let none = InformerOptions::new;
            let case =
                |place: &str| format!("{:?} {:?} {place}, by {listing}", row.labels, row.fields);

            let others = || {
                none()
                    .namespaces(["b"])
                    .label_selector("color=nothing")
                    .other_namespaces(row.of_namespace())
            };
            let of_others = match row.labels {
                // What the entry does not set comes from what is said in general.
                None => BTreeSet::new(),
                Some(_) => in_a.clone(),
            };
            for (place, options, expected) in [
                ("", row.of_options(), everywhere.clone()),
                (
                    "'s namespace",
                    none().namespace("a", row.of_namespace()),
                    in_a.clone(),
                ),
                ("'s other namespaces", others(), of_others),
            ] {
                let named = options.clone().name("own");
                let text = case(&format!("of the informer{place}"));
                check(&sim, started(beaten()), named, expected.clone(), &text).await;

                let cache = of_kind(beaten(), options);
                let text = case(&format!("of the kind{place}"));
                check(&sim, started(cache), none(), expected, &text).await;
            }

            let default = row.set(
                cache(),
                CacheBuilder::label_selector,
                CacheBuilder::field_selector,
            );
            let text = case("as default");
            check(&sim, started(default), none(), everywhere.clone(), &text).await;

            let default = beaten().namespace("a", row.of_namespace());
            let text = case("of the default's namespace");
            check(&sim, started(default), none(), in_a.clone(), &text).await;

            let default = beaten().other_namespaces(row.of_namespace());
            let text = case("of the default's other namespaces");
            check(&sim, started(default), none(), everywhere.clone(), &text).await;
        }
    }
}

/// Pods as their labels alone.
enum Labels {}

#[derive(serde::Deserialize)]
struct Labelled {
    metadata: Metadata,
}

#[derive(serde::Deserialize)]
struct Metadata {
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

impl Kept for Labels {
    type Object = Pod;
    type Stored = Arc<BTreeMap<String, String>>;
    type Read = Self::Stored;

    fn store(raw: &RawObject<'_>, _: &Transform<Pod>) -> Result<Self::Stored, StoreError> {
        Ok(Arc::new(raw.decode::<Labelled>()?.metadata.labels))
    }

    fn read(stored: &Self::Stored) -> Self::Read {
        Arc::clone(stored)
    }
}

impl KeptLabels for Labels {
    fn labels(stored: &Self::Stored) -> Cow<'_, BTreeMap<String, String>> {
        Cow::Borrowed(stored)
    }
}

/// How an informer whose type names the representation is asked for.
fn typed<I: CacheInformer>(
    cache: &Cache,
    options: InformerOptions<I::Kept>,
) -> Result<Informer<I::Kept>, CacheError> {
    Ok(cache.informer_with::<I>(options)?.inner().clone())
}

#[tokio::test(start_paused = true)]
async fn c034_selectors_everywhere_for_whole_objects() {
    matrix(
        "whole",
        typed::<PodInformer>,
        CacheBuilder::kind::<PodInformer>,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn c034_selectors_everywhere_for_a_view() {
    let of_kind = CacheBuilder::kind::<PodInformer<Labels>>;
    matrix("a view", typed::<PodInformer<Labels>>, of_kind).await;
}

#[tokio::test(start_paused = true)]
async fn c034_selectors_everywhere_for_metadata_alone() {
    let of_kind = CacheBuilder::kind::<PodMetadataInformer>;
    matrix("metadata", typed::<PodMetadataInformer>, of_kind).await;
}

#[tokio::test(start_paused = true)]
async fn c034_selectors_everywhere_for_dynamic_objects() {
    let ask = |cache: &Cache, options| cache.dynamic(PodInformer::KIND).informer_with(options);
    let of_kind = |cache: CacheBuilder, options| cache.dynamic(&PodInformer::KIND, options);
    matrix("dynamic", ask, of_kind).await;
}

#[tokio::test(start_paused = true)]
async fn c033_a_kinds_own_selector_takes_the_defaults_place_and_others_keep_it() {
    let sim = cluster(objects());
    let builder = Cache::builder(client(&sim)).label_selector("color=red");
    let (cache, by_default) = pods_of(builder).await;
    let own = InformerOptions::new()
        .name("own")
        .label_selector("color=blue");
    let own = cache.informer_with::<PodInformer>(own).unwrap();
    own.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&by_default), set(["a/red-big", "a/red-small"]));
    assert_eq!(listed(&own), set(["b/blue"]));
}

#[tokio::test(start_paused = true)]
async fn c035_each_namespaces_entry_selects_for_itself() {
    for as_default in [false, true] {
        let sim = cluster(objects());
        let web = "size=big";
        let mut builder = Cache::builder(client(&sim)).label_selector("color=red");
        let mut own = InformerOptions::new();
        if as_default {
            builder = builder
                .namespace("a", NamespaceOptions::new().label_selector(web))
                .namespace("b", NamespaceOptions::new().label_selector(""));
        } else {
            own = own
                .namespace("a", NamespaceOptions::new().label_selector(web))
                .namespace("b", NamespaceOptions::new().label_selector(""));
        }
        let cache = started(builder);
        let pods = cache.informer_with::<PodInformer>(own).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        assert_eq!(listed(&pods), set(["a/red-big", "b/blue"]), "{as_default}");
        let asked = asked(&sim, "pods");
        let texts = |a: &str, b: &str| (a.to_owned(), b.to_owned(), String::new());
        assert_eq!(
            asked,
            [texts("a", web), texts("b", "")].into(),
            "{as_default}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn c035_c050_each_namespaces_entry_transforms_for_itself() {
    let sim = cluster(objects());
    let builder = Cache::builder(client(&sim))
        .namespace(
            "b",
            NamespaceOptions::new().transform(|metadata: &mut ObjectMeta| {
                let labels = metadata.labels.get_or_insert_default();
                labels.insert("marked-by".into(), "default's namespace".into());
                Ok(())
            }),
        )
        .namespaces(["a"]);
    let cache = started(builder);
    let marks = async |options: InformerOptions<_>| {
        let pods = cache.informer_with::<PodInformer>(options).unwrap();
        pods.wait_for_sync(SOON).await.unwrap();
        ["a", "b"].map(|namespace| {
            let mut all = pods.lister().namespace(namespace).list().unwrap();
            let labels = all.next().unwrap().metadata.labels.clone();
            labels.and_then(|mut labels| labels.remove("marked-by"))
        })
    };
    let of = |who: &str| Some(who.to_owned());
    let inherited = marks(InformerOptions::new()).await;
    assert_eq!(inherited, [None, of("default's namespace")]);
    let kind = || InformerOptions::new().transform(mark("kind"));
    let own = marks(kind().name("own")).await;
    assert_eq!(own, [of("kind"), of("kind")]);
    let entry = NamespaceOptions::new().transform(mark("kind's namespace"));
    let named = kind().name("named").namespace("a", entry).namespaces(["b"]);
    assert_eq!(marks(named).await, [of("kind's namespace"), of("kind")]);
}

#[tokio::test(start_paused = true)]
async fn c032_namespaces_for_pods_beside_a_selector_for_nodes() {
    let sim = cluster(objects());
    sim.create(node("n1", &json!({"pool": "a"}))).unwrap();
    sim.create(node("n2", &json!({"pool": "b"}))).unwrap();
    let (cache, pods) = pods_of(Cache::builder(client(&sim)).namespaces(["a"])).await;
    let own = InformerOptions::new().label_selector("pool=a");
    let nodes = cache.informer_with::<NodeInformer>(own).unwrap();
    nodes.wait_for_sync(SOON).await.unwrap();
    assert_eq!(listed(&pods), set(["a/red-big", "a/red-small"]));
    let get = |key: &str| {
        nodes
            .inner()
            .lister()
            .get(&key.parse::<ObjectKey>().unwrap())
    };
    assert!(get("n1").is_ok());
    // c031: a namespace in the key of a cluster-scoped kind is ignored.
    assert!(get("elsewhere/n1").is_ok());
    for key in ["n2", "a/n2"] {
        let error = get(key).unwrap_err();
        assert!(matches!(error, ReadError::NotFound { .. }), "{error:?}");
    }
    sim.patch(
        "nodes",
        "",
        "n2",
        &json!({"metadata": {"labels": {"pool": "a"}}}),
    )
    .unwrap();
    until("it comes in", || get("n2").is_ok()).await;
}
