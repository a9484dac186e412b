use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::json;

use super::{Field, IntOrStringKey};

fn pod() -> Pod {
    serde_json::from_value(json!({
        "metadata": {
            "labels": {"app": "api", "tier": "web"},
            "creationTimestamp": "2026-01-02T03:04:05Z",
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u-1", "controller": true}],
        },
        "spec": {
            "nodeName": "node-7",
            "containers": [
                {"name": "a", "image": "one", "ports": [{"containerPort": 80}, {"containerPort": 81}]},
                {"name": "b"},
                {"name": "c", "image": "two", "ports": [{"containerPort": 82}]},
            ],
            "volumes": [{"name": "v", "secret": {"secretName": "s"}}],
        },
        "status": {"podIPs": [{"ip": "10.0.0.1"}], "hostIP": "10.1.1.1"},
    }))
    .unwrap()
}

#[test]
fn a_path_reads_what_is_there() {
    let pod = pod();
    let text = |field: Field<Pod, String>| field.keys(&pod);
    assert_eq!(text(field!(Pod, spec.nodeName)), ["node-7"]);
    assert_eq!(text(field!(Pod, status.hostIP)), ["10.1.1.1"]);
    assert_eq!(text(field!(Pod, status.podIPs[].ip)), ["10.0.0.1"]);
    assert_eq!(text(field!(Pod, spec.containers[].image)), ["one", "two"]);
    assert_eq!(text(field!(Pod, spec.volumes[].secret.secretName)), ["s"]);
    assert_eq!(text(field!(Pod, metadata.labels["app"])), ["api"]);
    assert_eq!(text(field!(Pod, metadata.labels["none"])), [""; 0]);
    assert_eq!(text(field!(Pod, metadata.labels{})), ["app", "tier"]);
    assert_eq!(text(field!(Pod, metadata.labels[])), ["api", "web"]);
    assert_eq!(text(field!(Pod, metadata.ownerReferences[].uid,)), ["u-1"]);
    assert_eq!(
        field!(Pod, spec.containers[].ports[].containerPort).keys(&pod),
        [80, 81, 82]
    );
    assert_eq!(
        field!(Pod, metadata.ownerReferences[].controller).keys(&pod),
        [true]
    );
    let created = field!(Pod, metadata.creationTimestamp).keys(&pod);
    assert_eq!(created[0].to_string(), "2026-01-02T03:04:05Z");
    for none in [
        field!(Pod, spec.nodeName),
        field!(Pod, spec.containers[].image),
        field!(Pod, metadata.annotations[]),
    ] {
        assert_eq!(none.keys(&Pod::default()), [""; 0], "{none:?}");
    }
}

#[test]
fn the_path_is_kept_as_it_is_in_json() {
    assert_eq!(
        field!(Pod, metadata.labels["a.b/c"]).path(),
        "metadata.labels[\"a.b/c\"]"
    );
    let names = field!(
        CustomResourceDefinition,
        spec.versions[].schema.openAPIV3Schema.properties{}
    );
    assert_eq!(
        names.path(),
        "spec.versions[].schema.openAPIV3Schema.properties{}"
    );
    let pattern = field!(
        CustomResourceDefinition,
        spec.versions[].schema.openAPIV3Schema."$ref"
    );
    assert_eq!(
        format!("{pattern:?}"),
        r#"Field("spec.versions[].schema.openAPIV3Schema.\"$ref\"")"#
    );
}

#[test]
fn integers_or_strings_are_told_apart() {
    const PORTS: Field<Service, k8s_openapi::apimachinery::pkg::util::intstr::IntOrString> =
        field!(Service, spec.ports[].targetPort);
    let service: Service = serde_json::from_value(json!({
        "metadata": {},
        "spec": {"ports": [{"port": 1, "targetPort": 80}, {"port": 2, "targetPort": "80"}]},
    }))
    .unwrap();
    assert_eq!(
        PORTS.keys(&service),
        [80.into(), IntOrStringKey::from("80")]
    );
    let _ = field!(NetworkPolicy, spec.ingress[].ports[].port);
}

/// Required here, optional there, boxed, behind another name, no Rust name at all, generic.
#[test]
fn types_of_ones_own_are_walked_alike() {
    struct Wide<T> {
        spec: Box<Spec<T>>,
        by_name: HashMap<String, Option<Spec<T>>>,
        _1e: Option<u8>,
        r#type: Arc<str>,
    }
    struct Spec<T> {
        node_name: T,
        nodes: Option<Vec<Option<T>>>,
        pairs: [(u8, T); 2],
        nested: BTreeMap<String, Vec<BTreeMap<String, i64>>>,
    }
    fn spec(name: &str) -> Spec<String> {
        Spec {
            node_name: name.into(),
            nodes: Some(vec![None, Some(format!("{name}-x"))]),
            pairs: [(1, "a".into()), (2, "b".into())],
            nested: [("k".into(), vec![[("n".into(), 5)].into()])].into(),
        }
    }
    let wide = Wide {
        spec: Box::new(spec("n")),
        by_name: [("one".into(), Some(spec("m"))), ("two".into(), None)].into(),
        _1e: Some(3),
        r#type: "t".into(),
    };
    assert_eq!(field!(Wide<String>, spec.nodeName).keys(&wide), ["n"]);
    assert_eq!(field!(Wide<String>, spec.nodes[]).keys(&wide), ["n-x"]);
    assert_eq!(
        field!(Wide<String>, byName["one"].nodeName).keys(&wide),
        ["m"]
    );
    assert_eq!(field!(Wide<String>, byName[].nodeName).keys(&wide), ["m"]);
    assert_eq!(
        field!(Wide<String>, spec.nested["k"][]["n"]).keys(&wide),
        [5]
    );
    assert_eq!(field!(Wide<String>, "1e").keys(&wide), [3]);
    assert_eq!(
        field!(Wide<String>, r#type as r#type).keys(&wide),
        ["t".into()]
    );
    assert_eq!(
        field!(Wide<String>, "node_name" as spec."anything" as node_name).keys(&wide),
        ["n"]
    );
    assert_eq!(wide.spec.pairs.len(), 2);
}

/// A type that says how its properties are spelt, as generated ones do.
#[test]
fn a_type_that_carries_its_json_names_is_walked_alike() {
    use larder_naming::hash;

    use super::{Property, Spells};

    struct Widget {
        node_name: Option<String>,
        renamed: Vec<String>,
    }

    #[allow(non_camel_case_types)]
    enum nodeName {}

    #[allow(non_camel_case_types)]
    enum _1e {}

    impl Spells<{ hash("node_name") }> for Widget {
        type Property = nodeName;
    }

    impl Property<{ hash("nodeName") }> for nodeName {}

    impl Spells<{ hash("renamed") }> for Widget {
        type Property = _1e;
    }

    impl Property<{ hash("1e") }> for _1e {}

    let widget = Widget {
        node_name: Some("n".into()),
        renamed: vec!["a".into(), "b".into()],
    };
    assert_eq!(field!(Widget, nodeName).keys(&widget), ["n"]);
    assert_eq!(field!(Widget, "1e" as renamed[]).keys(&widget), ["a", "b"]);
}

/// What a macro of the user's own hands on, and roots whose commas are not the macro's.
#[test]
fn a_path_is_found_behind_any_root_and_through_other_macros() {
    struct Named<T> {
        name: String,
        _by: PhantomData<T>,
    }
    let named = Named::<Result<fn() -> u8, u8>> {
        name: "n".into(),
        _by: PhantomData,
    };
    let name = field!(Named<Result<fn() -> u8, u8>>, name);
    assert_eq!(name.keys(&named), ["n"]);
    macro_rules! of_label {
        ($root:ty, $key:literal) => {
            field!($root, metadata.labels[$key])
        };
    }
    let by_app = of_label!(k8s_openapi::api::core::v1::Pod, "app");
    assert_eq!(by_app.keys(&pod()), ["api"]);
    macro_rules! at {
        ($segment:ident, $name:literal) => {
            field!(Pod, metadata.$segment[].$name)
        };
    }
    assert_eq!(at!(ownerReferences, "uid").keys(&pod()), ["u-1"]);
    assert_eq!(
        field!(Service, spec.type).keys(&Service::default()),
        [""; 0],
        "a keyword"
    );
}
