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
    let by = ["own", "kind", "default", "defaults"]
        .into_iter()
        .find(|by| by.len() == page as usize);
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

type Asked = Vec<(Option<String>, NamespaceOptions<Full>)>;

fn plan(
    kind: &Kind,
    own: InformerOptions<Full>,
    defaults: InformerOptions<Metadata>,
) -> Result<Asked, InvalidScope> {
    let plan = Layers::new(kind, own, Arc::new(defaults)).plan()?;
    let text = |source: Planned<Full>| {
        let namespace = source.namespace.as_deref().map(str::to_owned);
        (namespace, source.options)
    };
    Ok(plan.sources.into_iter().map(text).collect())
}

#[test]
fn c033_c035_c038_c040_every_option_comes_from_the_first_layer_that_sets_it() {
    // Which layers set everything: the kind's namespace, the kind, the defaults' namespace, the defaults.
    for layers in 1_u8..16 {
        let [own, kind, default, defaults] = [1, 2, 4, 8].map(|bit| layers & bit != 0);
        let expected = [
            (own, "own"),
            (kind, "kind"),
            (default, "default"),
            (defaults, "defaults"),
        ];
        let (_, expected) = expected.into_iter().find(|(set, _)| *set).unwrap();
        fn options<R: Kept<Object = ObjectMeta>>(
            set: bool,
            by: &'static str,
        ) -> NamespaceOptions<R> {
            if set {
                all_set(by)
            } else {
                NamespaceOptions::new()
            }
        }
        let informer = InformerOptions::<Full> {
            general: options(kind, "kind"),
            ..InformerOptions::new()
        };
        let cache = InformerOptions::<Metadata> {
            general: options(defaults, "defaults"),
            ..InformerOptions::new()
        };
        let rows = [
            (
                informer.clone().namespace("a", options(own, "own")),
                cache.clone().namespace("a", options(default, "default")),
            ),
            (
                informer.clone().other_namespaces(options(own, "own")),
                cache.clone().other_namespaces(options(default, "default")),
            ),
        ];
        for (informer, cache) in rows {
            let asked = plan(&PODS, informer, cache).unwrap();
            assert_eq!(asked.len(), 1);
            assert_eq!(setters(&asked[0].1), [expected; 4], "layers {layers:04b}");
        }
        if !own {
            // c040: inherited namespaces keep the kind's own options.
            let cache = cache
                .namespace("a", options(default, "default"))
                .namespaces(["b"]);
            let asked = plan(&PODS, informer, cache).unwrap();
            assert_eq!(asked[0].0.as_deref(), Some("a"));
            assert_eq!(setters(&asked[0].1), [expected; 4], "layers {layers:04b}");
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
        InformerOptions {
            general: all_set("defaults"),
            ..InformerOptions::new()
        }
        .namespace("a", all_set("default"))
        .other_namespaces(all_set("default"))
        .except_namespaces(["b"])
    };
    let asked = plan(&NODES, InformerOptions::new(), defaults()).unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0, None);
    assert_eq!(setters(&asked[0].1), ["defaults"; 4]);
    let own = InformerOptions {
        general: all_set("kind"),
        ..InformerOptions::new()
    };
    let asked = plan(&NODES, own, defaults()).unwrap();
    assert_eq!(setters(&asked[0].1), ["kind"; 4]);
    assert_eq!(
        plan(&PODS, InformerOptions::new(), defaults())
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn c038_what_is_an_informers_as_a_whole_takes_part_but_for_its_name() {
    let layers = |own: InformerOptions<Full>, defaults| Layers::new(&PODS, own, Arc::new(defaults));
    let hourly = Resync::Every(Duration::from_secs(3600));
    let defaults = || {
        InformerOptions::<Metadata>::new()
            .name("all")
            .resync(hourly)
            .when_absent(Absent::Stop)
            .on_error(|_| {})
    };
    let unset = layers(InformerOptions::new(), defaults());
    assert_eq!((unset.resync(), &**unset.name()), (hourly, "pods"));
    assert!(unset.on_absence(CancellationToken::new()).stop && unset.on_error().is_some());
    let set = layers(
        InformerOptions::new()
            .name("own")
            .resync(Resync::Never)
            .when_absent(Absent::Wait),
        defaults(),
    );
    assert_eq!((set.resync(), &**set.name()), (Resync::Never, "own"));
    assert!(!set.on_absence(CancellationToken::new()).stop);
    let nothing = layers(InformerOptions::new(), InformerOptions::default());
    assert_eq!(nothing.resync(), Resync::Inherit);
    assert!(nothing.on_error().is_none());
}

#[test]
fn c037_c039_which_namespaces_get_a_source() {
    type Cache = InformerOptions<Metadata>;
    type Own = InformerOptions<Full>;
    let rows: [(Own, Cache, &[Option<&str>]); 9] = [
        (Own::new(), Cache::new(), &[None]),
        (Own::new(), Cache::new().all_namespaces(), &[None]),
        (
            Own::new(),
            Cache::new().namespaces(["b", "a"]),
            &[Some("a"), Some("b")],
        ),
        (
            Own::new().all_namespaces(),
            Cache::new().namespaces(["a"]),
            &[None],
        ),
        (
            Own::new().namespaces(["c"]),
            Cache::new().namespaces(["a"]),
            &[Some("c")],
        ),
        (
            Own::new().namespaces(["c"]).all_namespaces(),
            Cache::new(),
            &[Some("c"), None],
        ),
        (
            Own::new(),
            Cache::new().namespaces(["a"]).except_namespaces(["b"]),
            &[Some("a"), None],
        ),
        (
            Own::new().except_namespaces([""; 0]),
            Cache::new().namespaces(["a"]),
            &[None],
        ),
        (
            Own::new().namespaces(["a"]).namespaces(["a", "b"]),
            Cache::new(),
            &[Some("a"), Some("b")],
        ),
    ];
    for (own, cache, expected) in rows {
        let case = format!("{own:?} over {cache:?}");
        let asked = plan(&PODS, own, cache).unwrap();
        let places: Vec<_> = asked.iter().map(|(place, _)| place.as_deref()).collect();
        assert_eq!(places, expected, "{case}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let refused = |kind: &Kind, own: InformerOptions<Full>, cache: InformerOptions<Metadata>| {
        plan(kind, own, cache).unwrap_err().to_string()
    };
    let own = InformerOptions::<Full>::new;
    let cache = InformerOptions::<Metadata>::new;
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
    ] {
        assert!(error.starts_with(place), "{error}");
    }
}
