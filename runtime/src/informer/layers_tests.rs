//! Precedence, as a table over every option, and what cannot be meant.

use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::*;
use crate::decode::RawObject;
use crate::kept::{StoreError, Transform, TransformError, Transformable};
use crate::kind::Scope;
use crate::object::Metadata;
use crate::reflector::ReflectorOptions;

const PODS: Kind = Kind::from_static("", "v1", "Pod", "pods", Scope::Namespaced);
const NODES: Kind = Kind::from_static("", "v1", "Node", "nodes", Scope::Cluster);

/// A kind whose objects are their metadata.
enum Full {}

impl Kept for Full {
    type Object = ObjectMeta;
    type Stored = ();
    type Read = ();

    fn store(_: &RawObject<'_>, _: &Transform<ObjectMeta>) -> Result<(), StoreError> {
        Ok(())
    }

    fn read((): &()) {}

    fn metadata_mut(object: &mut ObjectMeta) -> Option<&mut ObjectMeta> {
        Some(object)
    }
}

impl Transformable for Full {}

/// Who may set an option, in the order in which they count.
const LAYERS: [&str; 6] = [
    "informer.namespace",
    "informer",
    "kind.namespace",
    "kind",
    "cache.namespace",
    "cache",
];

/// Every option of a namespace, set to something that says who set it.
///
/// The pattern names every field, so that a new option cannot be forgotten here.
fn all_set<R: Kept<Object = ObjectMeta>>(by: &'static str) -> NamespaceOptions<R> {
    let NamespaceOptions {
        label_selector: _,
        field_selector: _,
        transform: _,
        reflector: _,
    } = NamespaceOptions::<R>::default();
    NamespaceOptions {
        label_selector: Some(format!("by={by}")),
        field_selector: Some(format!("metadata.name={by}")),
        transform: Some(Transform::new(move |_| Err(TransformError::new(by)))),
        reflector: Some(ReflectorOptions::default().page_size(u32::try_from(by.len()).unwrap())),
    }
}

/// Who set each option.
fn setters<R: Kept<Object = ObjectMeta>>(options: &NamespaceOptions<R>) -> [String; 4] {
    let NamespaceOptions {
        label_selector,
        field_selector,
        transform,
        reflector,
    } = options;
    let transform = transform.as_ref().unwrap();
    let page = reflector.as_ref().unwrap().page_size;
    // No two of the names are of one length.
    let by = LAYERS.into_iter().find(|by| by.len() == page as usize);
    [
        label_selector.as_ref().unwrap().replace("by=", ""),
        field_selector
            .as_ref()
            .unwrap()
            .replace("metadata.name=", ""),
        transform
            .apply(&mut ObjectMeta::default())
            .unwrap_err()
            .to_string(),
        by.unwrap().to_owned(),
    ]
}

type Own = InformerOptions<Full>;
type Cache = InformerOptions<Metadata>;
type Asked = Vec<(Option<String>, NamespaceOptions<Full>)>;

fn plan(kind: &Kind, own: Own, cache: Cache) -> Result<Asked, InvalidScope> {
    plan_of(kind, own, Own::new(), cache)
}

fn plan_of(kind: &Kind, own: Own, of_kind: Own, cache: Cache) -> Result<Asked, InvalidScope> {
    let plan = Layers::new(kind, own, Arc::new(of_kind), Arc::new(cache)).plan()?;
    let text = |source: Planned<Full>| {
        let namespace = source.namespace.as_deref().map(str::to_owned);
        (namespace, source.options)
    };
    Ok(plan.sources.into_iter().map(text).collect())
}

/// Everything set, or nothing.
fn set_if<R: Kept<Object = ObjectMeta>>(set: bool, by: &'static str) -> NamespaceOptions<R> {
    if set {
        all_set(by)
    } else {
        NamespaceOptions::new()
    }
}

fn general<R: Kept<Object = ObjectMeta>>(set: bool, by: &'static str) -> InformerOptions<R> {
    InformerOptions {
        general: set_if(set, by),
        ..InformerOptions::new()
    }
}

#[test]
fn c033_c035_c038_c040_every_option_comes_from_the_first_layer_that_sets_it() {
    for layers in 1_u8..1 << LAYERS.len() {
        let case = format!("layers {layers:06b}");
        let set: [bool; 6] = std::array::from_fn(|layer| layers & 1 << layer != 0);
        let first = |which: &[usize]| {
            let first = which.iter().find(|layer| set[**layer]);
            first.map(|layer| [LAYERS[*layer]; 4].map(str::to_owned))
        };
        let [own, informer, of_kind, kind, default, cache] = set;
        let informer = || general::<Full>(informer, LAYERS[1]);
        let kind = || general::<Full>(kind, LAYERS[3]);
        let cache = || general::<Metadata>(cache, LAYERS[5]);
        let rows = [
            (
                informer().namespace("a", set_if(own, LAYERS[0])),
                kind().namespace("a", set_if(of_kind, LAYERS[2])),
                cache().namespace("a", set_if(default, LAYERS[4])),
            ),
            (
                informer().other_namespaces(set_if(own, LAYERS[0])),
                kind().other_namespaces(set_if(of_kind, LAYERS[2])),
                cache().other_namespaces(set_if(default, LAYERS[4])),
            ),
        ];
        for (informer, kind, cache) in rows {
            let asked = plan_of(&PODS, informer, kind, cache).unwrap();
            assert_eq!(asked.len(), 1);
            let expected = first(&[0, 1, 2, 3, 4, 5]).unwrap();
            assert_eq!(setters(&asked[0].1), expected, "{case}");
        }
        // c040: who inherits namespaces keeps its own options in them, from the kind's and from the cache's.
        let of_kind = set_if(of_kind, LAYERS[2]);
        let default = set_if(default, LAYERS[4]);
        let from_kind = kind().namespace("a", of_kind).namespaces(["b"]);
        let from_cache = cache().namespace("a", default).namespaces(["b"]);
        for (kind, cache, expected) in [
            (from_kind, cache(), first(&[1, 2, 3, 5])),
            (kind(), from_cache, first(&[1, 3, 4, 5])),
        ] {
            let asked = plan_of(&PODS, informer(), kind, cache).unwrap();
            assert_eq!(asked.len(), 2, "{case}");
            assert_eq!(asked[0].0.as_deref(), Some("a"));
            match expected {
                Some(expected) => assert_eq!(setters(&asked[0].1), expected, "{case}"),
                None => assert!(asked[0].1.label_selector.is_none(), "{case}"),
            }
        }
    }
}

#[test]
fn c036_an_explicit_everything_beats_what_lies_behind_it() {
    let everything = || {
        NamespaceOptions::new()
            .label_selector("")
            .field_selector("")
    };
    let own = InformerOptions::new().label_selector("").field_selector("");
    let defaults = || {
        InformerOptions::new()
            .label_selector("by=defaults")
            .field_selector("metadata.name=defaults")
    };
    let texts = |asked: Asked| {
        let texts = |options: NamespaceOptions<Full>| {
            [options.label_selector, options.field_selector].map(Option::unwrap)
        };
        asked
            .into_iter()
            .map(|(_, options)| texts(options))
            .collect::<Vec<_>>()
    };
    let nothing = ["", ""].map(str::to_owned);
    let asked = texts(plan(&PODS, own, defaults()).unwrap());
    assert_eq!(asked, std::slice::from_ref(&nothing));
    let own = InformerOptions::new()
        .label_selector("by=kind")
        .field_selector("metadata.name=kind")
        .namespace("a", everything());
    assert_eq!(texts(plan(&PODS, own, defaults()).unwrap()), [nothing]);
}

#[test]
fn c031_c032_objects_without_a_namespace_are_in_none_of_the_defaults() {
    let defaults = || {
        general(true, "cache")
            .namespace("a", all_set("cache.namespace"))
            .other_namespaces(all_set("cache.namespace"))
            .except_namespaces(["b"])
    };
    let asked = plan(&NODES, InformerOptions::new(), defaults()).unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0, None);
    assert_eq!(setters(&asked[0].1), ["cache"; 4]);
    for (own, of_kind, by) in [
        (general(true, "informer"), Own::new(), "informer"),
        (Own::new(), general(true, "kind"), "kind"),
    ] {
        let asked = plan_of(&NODES, own, of_kind, defaults()).unwrap();
        assert_eq!(asked.len(), 1);
        assert_eq!(setters(&asked[0].1), [by; 4]);
    }
    assert_eq!(
        plan(&PODS, InformerOptions::new(), defaults())
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn c038_what_is_an_informers_as_a_whole_takes_part() {
    let every = |seconds| Resync::Every(Duration::from_secs(seconds));
    /// All that a layer can say of an informer as a whole.
    fn whole<R: Kept>(name: &str, resync: Resync, absent: Absent) -> InformerOptions<R> {
        InformerOptions::new()
            .name(name)
            .resync(resync)
            .when_absent(absent)
            .on_error(|_| {})
    }
    let own: Own = whole("own", every(1), Absent::Wait);
    let of_kind: Own = whole("kind", every(2), Absent::Stop);
    let cache: Cache = whole("cache", every(3), Absent::Stop);
    let hooks =
        [&own.on_error, &of_kind.on_error, &cache.on_error].map(|hook| hook.clone().unwrap());
    let rows = [
        (own.clone(), of_kind.clone(), "own", every(1), false),
        (own, Own::new(), "own", every(1), false),
        (Own::new(), of_kind, "kind", every(2), true),
        // The cache has no name to give.
        (Own::new(), Own::new(), "pods", every(3), true),
    ];
    for ((own, of_kind, name, resync, stops), hook) in rows.into_iter().zip([0, 0, 1, 2]) {
        let layers = Layers::new(&PODS, own, Arc::new(of_kind), Arc::new(cache.clone()));
        assert_eq!((&**layers.name(), layers.resync()), (name, resync));
        assert_eq!(layers.on_absence(CancellationToken::new()).stop, stops);
        assert!(layers.on_error().unwrap().is(&hooks[hook]), "{name}");
    }
    let layers = Layers::new(&PODS, Own::new(), Arc::default(), Arc::default());
    assert_eq!(
        (&**layers.name(), layers.resync()),
        ("pods", Resync::Inherit)
    );
    assert!(layers.on_error().is_none());
}

#[test]
fn c037_c039_which_namespaces_get_a_source() {
    let (own, cache) = (Own::new, Cache::new);
    type Places = &'static [Option<&'static str>];
    let rows: [(Own, Own, Cache, Places); 13] = [
        (own(), own(), cache(), &[None]),
        (own(), own(), cache().all_namespaces(), &[None]),
        (
            own(),
            own(),
            cache().namespaces(["b", "a"]),
            &[Some("a"), Some("b")],
        ),
        (
            own().all_namespaces(),
            own(),
            cache().namespaces(["a"]),
            &[None],
        ),
        (
            own().namespaces(["c"]),
            own(),
            cache().namespaces(["a"]),
            &[Some("c")],
        ),
        (
            own().namespaces(["c"]).all_namespaces(),
            own(),
            cache(),
            &[Some("c"), None],
        ),
        (
            own(),
            own(),
            cache().namespaces(["a"]).except_namespaces(["b"]),
            &[Some("a"), None],
        ),
        (
            own().except_namespaces([""; 0]),
            own(),
            cache().namespaces(["a"]),
            &[None],
        ),
        (
            own().namespaces(["a"]).namespaces(["a", "b"]),
            own(),
            cache(),
            &[Some("a"), Some("b")],
        ),
        (
            own(),
            own().namespaces(["k"]),
            cache().namespaces(["a"]),
            &[Some("k")],
        ),
        (
            own(),
            own().all_namespaces(),
            cache().namespaces(["a"]),
            &[None],
        ),
        (
            own(),
            own().namespaces(["k"]).except_namespaces(["x"]),
            cache(),
            &[Some("k"), None],
        ),
        (
            own().namespaces(["c"]),
            own().namespaces(["k"]),
            cache().namespaces(["a"]),
            &[Some("c")],
        ),
    ];
    for (own, of_kind, cache, expected) in rows {
        let case = format!("{own:?} over {of_kind:?} over {cache:?}");
        let asked = plan_of(&PODS, own, of_kind, cache).unwrap();
        let places: Vec<_> = asked.iter().map(|(place, _)| place.as_deref()).collect();
        assert_eq!(places, expected, "{case}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let refused =
        |kind: &Kind, own: Own, cache: Cache| plan(kind, own, cache).unwrap_err().to_string();
    let refused_of_kind = |kind: &Kind, of_kind: Own| {
        let refused = plan_of(kind, Own::new(), of_kind, Cache::new());
        refused.unwrap_err().to_string()
    };
    let (own, cache) = (Own::new, Cache::new);
    let bad_label = || NamespaceOptions::new().label_selector("a in");
    let no_name = "is no namespace name (RFC 1123 label: a-z, 0-9 and '-', at most 63)";
    let rows = [
        (
            refused(&PODS, own().namespaces([""; 0]), cache()),
            "no namespace is given; name at least one, or watch all of them".to_owned(),
        ),
        (
            refused(&PODS, own().namespaces(["a", ""]), cache()),
            format!("\"\" {no_name}"),
        ),
        (
            refused(&PODS, own(), cache().except_namespaces(["No"])),
            format!("\"No\" {no_name}"),
        ),
        (
            refused(
                &PODS,
                own().namespaces(["a"]).except_namespaces(["a"]),
                cache(),
            ),
            "namespace \"a\" is both to be watched and excepted".to_owned(),
        ),
        (
            refused(&NODES, own().namespaces(["a"]), cache()),
            "the kind is cluster-scoped: namespace \"a\" means nothing to it".to_owned(),
        ),
        (
            refused(&NODES, own().except_namespaces(["a"]), cache()),
            "the kind is cluster-scoped: namespace \"a\" means nothing to it".to_owned(),
        ),
        (
            refused_of_kind(&PODS, own().namespaces([""; 0])),
            "no namespace is given; name at least one, or watch all of them".to_owned(),
        ),
        (
            refused_of_kind(&NODES, own().namespaces(["a"])),
            "the kind is cluster-scoped: namespace \"a\" means nothing to it".to_owned(),
        ),
    ];
    for (error, expected) in rows {
        assert_eq!(error, expected);
    }
    for (error, place) in [
        (
            refused(&PODS, own().namespace("a", bad_label()), cache()),
            "namespace \"a\": label selector",
        ),
        (
            refused(
                &PODS,
                own(),
                cache().namespace("a", NamespaceOptions::new().label_selector("a in")),
            ),
            "namespace \"a\": label selector",
        ),
        (
            refused(&PODS, own().label_selector("a in"), cache()),
            "label selector",
        ),
        (
            refused(&PODS, own(), cache().label_selector("a in")),
            "label selector",
        ),
        (
            refused(&NODES, own(), cache().label_selector("a in")),
            "label selector",
        ),
        (
            refused_of_kind(&PODS, own().label_selector("a in")),
            "label selector",
        ),
        (
            refused_of_kind(&PODS, own().namespace("a", bad_label())),
            "namespace \"a\": label selector",
        ),
    ] {
        assert!(error.starts_with(place), "{error}");
    }
}
