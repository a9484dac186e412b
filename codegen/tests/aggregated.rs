//! Kinds of a cluster's document that are not Kubernetes' own: aggregated APIs, and custom resources without a definition.
//!
//! The reviewed output is compiled and used by the façade's tests. `LARDER_BLESS=1` writes it anew.

mod support;

use std::path::{Path, PathBuf};

use larder_codegen::{Generated, LeftOutReason, Model, Origin, Verb, normalised, read};
use serde_json::{Value, json};
use support::directory::Directory;
use support::generating::{config, errors, generate};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn cluster() -> PathBuf {
    tests().join("documents/cluster")
}

fn kinds(generated: &Generated) -> Vec<String> {
    let kinds = generated.kinds.iter();
    kinds.map(|kind| kind.id.to_string()).collect()
}

fn left_out(generated: &Generated) -> Vec<(String, LeftOutReason)> {
    let left_out = generated.left_out.iter();
    left_out
        .map(|kind| (kind.id.to_string(), kind.reason))
        .collect()
}

/// Kinds of Kubernetes, aggregated ones, custom resources of the document and of definitions, in one build script.
#[test]
fn one_build_script_gives_the_reviewed_code() {
    let directory = Directory::new("cluster-golden");
    let gadgets = tests().join("crds/gadgets.yaml").display().to_string();
    let (generated, code) = generate(config(&directory).openapi(cluster()).crds(gadgets).kinds([
        "v1/Pod",
        "shop.example.com/v1/Box",
        "shop.example.com/v1/Gadget",
        "wardle.example.com/v1alpha1/Fischer",
        "wardle.example.com/v1alpha1/Flunder",
    ]));
    support::is_as_reviewed("cluster.rs", &code);
    assert_eq!(
        kinds(&generated),
        [
            "v1/Pod",
            "shop.example.com/v1/Box",
            "shop.example.com/v1/Gadget",
            "wardle.example.com/v1alpha1/Fischer",
            "wardle.example.com/v1alpha1/Flunder",
        ]
    );
}

/// A copy of the fixture, of which `change` gets each file.
fn changed(directory: &Directory, change: impl Fn(&str, &mut Value)) -> PathBuf {
    for name in [
        "index.json",
        "discovery.json",
        "api/v1.json",
        "apis/metrics.k8s.io/v1beta1.json",
        "apis/shop.example.com/v1.json",
        "apis/wardle.example.com/v1alpha1.json",
    ] {
        let text = std::fs::read_to_string(cluster().join(name)).unwrap();
        let mut value: Value = serde_json::from_str(&text).unwrap();
        change(name, &mut value);
        // No discovery is no file.
        if !value.is_null() {
            directory.write(&format!("cluster/{name}"), &value.to_string());
        }
    }
    directory.path("cluster")
}

fn model(path: &Path) -> Model {
    read(path).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The code without documentation, of which a normalised document has none.
fn bare(code: &str) -> Vec<&str> {
    let lines = code.lines().map(str::trim);
    lines.filter(|line| !line.starts_with("//")).collect()
}

#[test]
fn what_a_server_cannot_list_or_watch_is_left_out_with_the_reason() {
    let directory = Directory::new("cluster-reasons");
    let (generated, code) = generate(config(&directory).openapi(cluster()));
    assert_eq!(
        left_out(&generated),
        [
            (
                "metrics.k8s.io/v1beta1/NodeMetrics".into(),
                LeftOutReason::NotWatched
            ),
            (
                "metrics.k8s.io/v1beta1/PodMetrics".into(),
                LeftOutReason::NotWatched
            ),
            (
                "wardle.example.com/v1alpha1/FlunderReview".into(),
                LeftOutReason::NotListed
            ),
        ]
    );
    assert!(
        code.contains("\"metrics.k8s.io/v1beta1/NodeMetrics: its server does not serve `watch`")
    );
    assert!(
        !code.contains("ContainerMetrics"),
        "what nobody needs is not emitted"
    );
    assert_eq!(
        generated.definitions[..3],
        [
            "definitions::com_example_wardle_v1alpha1::FlunderSpec",
            "definitions::com_example_wardle_v1alpha1::flunder_spec::Inner",
            "definitions::com_example_wardle_v1alpha1::flunder_spec::inner::Deep",
        ]
    );
    let text = errors(config(&directory).openapi(cluster()).kinds([
        "metrics.k8s.io/v1beta1/PodMetrics",
        "wardle.example.com/v1alpha1/FlunderReview",
        "wardle.example.com/v1alpha1/Flounder",
    ]));
    assert_eq!(
        text,
        "kinds: metrics.k8s.io/v1beta1/PodMetrics cannot be cached: its server does not serve `watch`, which a cache lives \
         on: list it when you need it\n\
         kinds: wardle.example.com/v1alpha1/FlunderReview cannot be cached: its server does not list it, which a cache starts \
         from\n\
         kinds: \"wardle.example.com/v1alpha1/Flounder\" is no kind that was read; kinds are written as \
         `apps/v1/Deployment` and `v1/Pod` (did you mean \"wardle.example.com/v1alpha1/Flunder\"?)"
    );
}

/// A path below `/watch/` proves that a kind can be watched; without one nothing is known.
#[test]
fn without_discovery_it_is_not_known_what_can_be_watched() {
    let directory = Directory::new("cluster-unknown");
    let document = changed(&directory, |name, value| {
        if name == "discovery.json" {
            *value = Value::Null;
        }
    });
    let metrics = "metrics.k8s.io/v1beta1/PodMetrics";
    for document in [document.clone(), {
        let text = normalised(&model(&document));
        assert!(text.contains("\"watch\":\"unknown\""));
        directory.write("normalised.json", &text)
    }] {
        let (generated, _) = generate(config(&directory).openapi(&document));
        assert!(left_out(&generated).contains(&(metrics.into(), LeftOutReason::WatchUnknown)));
        assert!(kinds(&generated).contains(&"wardle.example.com/v1alpha1/Fischer".into()));
        let reason = generated.left_out[1].to_string();
        assert!(
            reason.contains("`larder openapi pull` asks the server; or name it in `kinds`"),
            "{reason}"
        );
        let (generated, code) = generate(config(&directory).openapi(&document).kinds([metrics]));
        assert_eq!(
            (kinds(&generated), left_out(&generated)),
            (vec![metrics.into()], vec![])
        );
        assert!(code.contains("pub struct ContainerMetrics"));
    }
    let found = model(&document);
    let kind = found
        .kind("metrics.k8s.io", "v1beta1", "PodMetrics")
        .unwrap();
    assert_eq!(
        kind.not_cacheable(),
        Some("it is not known whether it can be watched")
    );
}

/// An aggregated API may have all verbs of a custom resource but the one.
#[test]
fn discovery_has_the_last_word_on_verbs() {
    let directory = Directory::new("cluster-verbs");
    let document = changed(&directory, |name, value| {
        if name == "discovery.json" {
            *value = json!({
                "kind": "APIResourceList", "groupVersion": "shop.example.com/v1", "resources": [
                    {"name": "boxes", "kind": "Box", "verbs": ["get", "list", "proxy"]},
                    {"name": "boxes/status", "kind": "Box", "verbs": null},
                ],
            });
        }
    });
    let found = model(&document);
    let kind = found.kind("shop.example.com", "v1", "Box").unwrap();
    assert_eq!(kind.origin, Origin::Aggregated);
    assert_eq!(
        kind.verbs.iter().copied().collect::<Vec<_>>(),
        [Verb::Get, Verb::List]
    );
    assert_eq!(kind.not_cacheable(), Some("it cannot be watched"));
    let (generated, _) = generate(config(&directory).openapi(document));
    assert!(
        left_out(&generated)
            .contains(&("shop.example.com/v1/Box".into(), LeftOutReason::NotWatched))
    );
}

#[test]
fn what_is_wrong_with_discovery_is_said() {
    let directory = Directory::new("cluster-discovery");
    let document = changed(&directory, |name, value| {
        if name == "discovery.json" {
            *value = json!([
                {"kind": "APIResourceLst"},
                {"kind": "APIResourceList", "groupVersion": 1},
                {"kind": "APIResourceList", "groupVersion": "a/v1", "resources": [{"verbs": {}}, {"name": "b", "verbs": {}}]},
                {"kind": "APIGroupDiscoveryList", "items": [{"versions": [{}, {"version": "v1", "resources": [{}]}]}]},
                7,
            ]);
        }
    });
    let text = read(document).unwrap_err().to_string();
    let lines = text
        .lines()
        .map(|line| line.split_once("discovery.json: ").unwrap().1);
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "[0].kind: \"APIResourceLst\" is no kind of discovery (did you mean \"APIResourceList\"?)",
            "[1].groupVersion: expected a string, found a number",
            "[2].resources[0].name: expected the name of a resource, found nothing",
            "[2].resources[1].verbs: expected an array, found an object",
            "[3].items[0].versions[0].version: expected a version, found nothing",
            "[3].items[0].versions[1].resources[0].resource: expected the name of a resource, found nothing",
            "[4].kind: expected a kind of discovery, found nothing",
        ]
    );
}

/// What a pulled document keeps is enough: all of the code but the prose.
#[test]
fn a_normalised_document_gives_the_same_types() {
    let directory = Directory::new("cluster-normalised");
    let found = model(&cluster());
    let text = normalised(&found);
    let file = directory.write("cluster.json", &text);
    assert_eq!(normalised(&model(&file)), text);
    assert_eq!(model(&file), found);
    let (_, of_directory) = generate(config(&directory).openapi(cluster()));
    let (_, of_file) = generate(config(&directory).openapi(&file));
    assert_eq!(bare(&of_file), bare(&of_directory));
    for kept in [
        r#""lid":{"type":"object","properties":{"open":{"type":"boolean"}},"nullable":true,"default":{"open":true}}"#,
        r#""x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"}]"#,
        r#""color":{"type":"string","enum":["blue","red"]}"#,
        r#""port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}"#,
        r#""spec":{"$ref":"com.example.wardle.v1alpha1.FlunderSpec","default":{}}"#,
    ] {
        assert!(text.contains(kept), "{kept} is not in {text}");
    }
    assert!(!text.contains("What is wanted"), "no prose");
}

#[test]
fn a_definition_of_the_same_kind_wins_over_the_document() {
    let directory = Directory::new("cluster-wins");
    let definition = |served: bool| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: boxes.shop.example.com}}\n\
             spec:\n  group: shop.example.com\n  scope: Namespaced\n  names: {{kind: Box, plural: boxes, shortNames: [bx]}}\n  \
             versions:\n  - name: v1\n    served: {served}\n    schema: {{openAPIV3Schema: {{type: object, properties: {{only: \
             {{type: string}}}}}}}}\n"
        )
    };
    let file = directory.write("box.yaml", &definition(true));
    let with = |file: &Path| {
        config(&directory)
            .openapi(cluster())
            .crds(file.display().to_string())
    };
    let (_, code) = generate(with(&file));
    assert!(
        code.contains("pub only: ") && code.contains("&[\"bx\"]") && !code.contains("pub lid: ")
    );
    // A version that it does not serve is not emitted from the document behind its back.
    directory.write("box.yaml", &definition(false));
    let (generated, _) = generate(with(&file));
    assert!(!kinds(&generated).contains(&"shop.example.com/v1/Box".into()));
    assert!(
        left_out(&generated)
            .contains(&("shop.example.com/v1/Box".into(), LeftOutReason::NotServed))
    );
}

#[test]
fn a_crate_for_others_has_the_kinds_of_kubernetes_alone() {
    let directory = Directory::new("cluster-built-in");
    let (generated, _) = generate(config(&directory).openapi(cluster()).built_in_only(true));
    assert_eq!(kinds(&generated), ["v1/Pod"]);
    let belong = |kind: &str, reason| (kind.to_owned(), reason);
    assert_eq!(
        left_out(&generated),
        [
            belong("shop.example.com/v1/Box", LeftOutReason::CustomResource),
            belong(
                "wardle.example.com/v1alpha1/Fischer",
                LeftOutReason::Aggregated
            ),
            belong(
                "wardle.example.com/v1alpha1/Flunder",
                LeftOutReason::Aggregated
            ),
        ]
    );
}

#[test]
fn a_reference_to_nothing_is_an_error_with_its_place() {
    let directory = Directory::new("cluster-missing");
    let document = changed(&directory, |name, value| {
        if name.contains("wardle") {
            let spec =
                "/components/schemas/com.example.wardle.v1alpha1.FlunderSpec/properties/tree/$ref";
            *value.pointer_mut(spec).unwrap() =
                json!("#/components/schemas/com.example.wardle.v1alpha1.Tre");
        }
    });
    let text = errors(config(&directory).openapi(document));
    let expected = "cluster/apis/wardle.example.com/v1alpha1.json: components.schemas[\"com.example.wardle.v1alpha1.FlunderSpec\"]\
                    .properties.tree.$ref: \"com.example.wardle.v1alpha1.Tre\" is not defined in this document (did you mean \
                    \"com.example.wardle.v1alpha1.Tree\"?)";
    assert!(
        text.ends_with(expected) && text.lines().count() == 1,
        "{text}"
    );
}

/// The servers are newer than what k8s-openapi was built for.
#[test]
fn a_type_of_kubernetes_that_k8s_openapi_lacks_is_emitted() {
    let directory = Directory::new("cluster-newer");
    let older = changed(&directory, |name, value| {
        if name.contains("wardle") {
            let schemas = value.pointer_mut("/components/schemas").unwrap();
            schemas
                .as_object_mut()
                .unwrap()
                .remove("io.k8s.api.core.v1.PodTemplateSpec");
            let spec = schemas
                .pointer_mut("/com.example.wardle.v1alpha1.FlunderSpec/properties")
                .unwrap();
            spec.as_object_mut().unwrap().remove("template");
        }
    });
    let (generated, code) = generate(config(&directory).openapi(cluster()).types_of(older));
    let types = &generated.definitions;
    assert!(code.contains("k8s_openapi::apimachinery::pkg::api::resource::Quantity"));
    assert!(
        !code.contains("k8s_openapi::api::core::v1::PodTemplateSpec"),
        "{types:?}"
    );
}

#[test]
fn options_reach_kinds_and_definitions() {
    const SPEC: &str = "com.example.wardle.v1alpha1.FlunderSpec";
    let directory = Directory::new("cluster-options");
    let with = || config(&directory).openapi(cluster());
    let (_, code) = generate(
        with()
            .skip("wardle.example.com/v1alpha1/Flunder", "status")
            .prune(SPEC, "template")
            .use_type(SPEC, "inner.deep[]", "crate::Deep")
            .boxed("*", "spec.extra")
            .skip("*", "**.tree"),
    );
    for (there, text) in [
        (true, "pub template: ::k8s_openapi::serde_json::Value"),
        (true, "::std::vec::Vec<crate::Deep>"),
        (
            true,
            "pub extra: ::core::option::Option<::std::boxed::Box<spec::Extra>>",
        ),
        (false, "pub struct FlunderStatus"),
        (false, "pub struct Tree"),
    ] {
        assert_eq!(code.contains(text), there, "{text}");
    }
    let text = errors(
        with()
            .skip(SPEC, "tre")
            .skip("com.example.wardle.v1alpha1.Flunderspec", "tree"),
    );
    assert_eq!(
        text,
        format!(
            "skip: \"tre\" is no path of a property in the kind's schema; paths are written as `spec.items[].name` (did you mean \"tree\"?)\n\
             skip: \"com.example.wardle.v1alpha1.Flunderspec\" is no kind of these definitions; kinds are written as \
             `cert-manager.io/v1/Certificate` (did you mean {SPEC:?}?)"
        )
    );
    let (_, code) = generate(with().keep_unknown_fields(false));
    assert!(!code.contains("pub rest: "));
}

/// Of two definitions that would have one name, neither has it, even where nothing refers to the other one.
#[test]
fn names_do_not_depend_on_what_is_wanted() {
    let directory = Directory::new("cluster-names");
    let document = changed(&directory, |name, value| {
        if name.contains("wardle") {
            let spec = "/components/schemas/com.example.wardle.v1alpha1.FlunderSpec/properties";
            let properties = value.pointer_mut(spec).unwrap();
            properties.as_object_mut().unwrap().remove("odd");
        }
    });
    let (_, code) = generate(config(&directory).openapi(document));
    assert!(code.contains("pub struct UpperOddName "));
    assert!(!code.contains("pub struct UpperOddDashName "));
}
