//! Comparing documents.

use serde_json::json;

use crate::support::{Answer, Place, carried, cluster, json_of};

#[test]
fn documents_are_compared_and_the_exit_code_tells() {
    let place = Place::with_server(cluster());
    let (old, new) = (carried("v1_36"), carried("v1_37"));
    assert_eq!(
        place.run(&["openapi", "diff", &old, &old]).fine(),
        "no difference\n"
    );
    let text = place.run(&["openapi", "diff", &old, &new]).differs();
    assert!(text.contains("~ type io.k8s.api.storage.v1.CSINode\n    + status: io.k8s.api.storage.v1.CSINodeStatus, optional\n"), "{text}");
    let found = place
        .run(&[
            "openapi",
            "diff",
            &old,
            &new,
            "--group",
            "storage.k8s.io",
            "--output",
            "json",
        ])
        .differs();
    let found = json_of(&found);
    let names: Vec<&str> = found["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|kind| kind["name"].as_str())
        .collect();
    assert!(
        !names.is_empty() && names.iter().all(|name| name.starts_with("storage.k8s.io/")),
        "{names:?}"
    );

    let error = place
        .run(&["openapi", "diff", &old, &new, "--group", "storage.k8s.oi"])
        .failed();
    assert!(
        error.contains("did you mean \"storage.k8s.io\"?"),
        "{error}"
    );
    let error = place
        .run(&["openapi", "diff", "nothing.json", &new])
        .failed();
    assert!(error.contains("nothing.json: cannot read"), "{error}");
    let wrong = place.run(&["openapi", "diff", &old]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[test]
fn a_document_is_compared_with_the_cluster() {
    let place = Place::with_server(cluster());
    place
        .run(&["openapi", "pull", "--group", "example.com"])
        .fine();
    // The cluster's other groups are none of this document's.
    assert_eq!(
        place
            .run(&["openapi", "diff", "openapi.json", "--live"])
            .fine(),
        "no difference\n"
    );
    let changed = place.read("openapi.json").replace("\"unit\"", "\"units\"");
    place.write("openapi.json", &changed);
    let text = place
        .run(&["openapi", "diff", "openapi.json", "--live"])
        .differs();
    assert_eq!(
        text,
        "~ type com.example.v1.Gauge\n    + unit: string, optional\n    - units: string, optional\n0 kinds, 1 type differ\n"
    );
}

/// A normalised document of one kind of Kubernetes and one custom one.
fn document(kinds: &str, types: &str) -> String {
    format!("{{\"larder\":1,\"kinds\":[{kinds}],\"types\":{{{types}}}}}")
}

fn kind(group: &str, kind: &str, more: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    format!(
        r#"{{"group":"{group}","version":"v1","kind":"{kind}","plural":"{plural}","scope":"Namespaced","type":{{"$ref":"t.{kind}"}},{more}}}"#
    )
}

/// The form of `--output json`, which programs read: it changes with a version of the command alone. It is on the command's page.
#[test]
fn the_json_of_a_comparison_has_one_form() {
    let place = Place::new();
    let custom = |verbs: &str| {
        kind(
            "example.com",
            "Gauge",
            &format!(r#""origin":"CustomResource","verbs":[{verbs}]"#),
        )
    };
    let crate_ = kind("", "Crate", r#""verbs":["get"],"subresources":["scale"]"#);
    let old = document(
        &[
            crate_.clone(),
            kind("", "Gone", r#""verbs":[]"#),
            custom(r#""get","list""#),
        ]
        .join(","),
        r#""t.Crate":{"properties":{"inner":{"items":{"$ref":"t.Inner"}},"label":{"type":"string"}},"required":["label"]},
           "t.Inner":{"properties":{"x":{"type":"integer","format":"int32"}}},
           "t.Gone":{"type":"object"},
           "t.Gauge":{"properties":{"spec":{"properties":{"unit":{"type":"string"}},"required":["unit"]}}}"#,
    );
    let new = document(
        &[
            crate_
                .replace("\"scale\"", "\"status\"")
                .replace("Namespaced", "Cluster"),
            kind("", "New", r#""verbs":[]"#),
            custom(r#""get","list","watch""#),
        ]
        .join(","),
        r#""t.Crate":{"properties":{"inner":{"items":{"$ref":"t.Inner"}},"label":{"type":"string"}}},
           "t.Inner":{"properties":{"x":{"type":"integer","format":"int64"}}},
           "t.New":{"type":"object"},
           "t.Gauge":{"properties":{"spec":{"properties":{"range":{"items":{"type":"number"}},"unit":{"type":"string"}},"required":["unit"]}}}"#,
    );
    place.write("old.json", &old);
    place.write("new.json", &new);
    let run =
        |more: &[&str]| place.run(&[&["openapi", "diff", "old.json", "new.json"], more].concat());
    let printed = run(&["--output", "json"]).differs();
    let part = |name: &str, change: &str, old: Option<&str>, new: Option<&str>| {
        let mut part = json!({"name": name, "change": change});
        for (key, value) in [("old", old), ("new", new)] {
            if let Some(value) = value {
                part[key] = value.into();
            }
        }
        part
    };
    assert_eq!(
        json_of(&printed),
        json!({
            "kinds": [
                {"name": "v1/Crate", "change": "changed", "parts": [
                    part("scope", "changed", Some("Namespaced"), Some("Cluster")),
                    part("subresource", "removed", Some("scale"), None),
                    part("subresource", "added", None, Some("status")),
                ]},
                {"name": "v1/Gone", "change": "removed"},
                {"name": "v1/New", "change": "added"},
                {"name": "example.com/v1/Gauge", "change": "changed", "parts": [part("verb", "added", None, Some("watch"))]},
            ],
            "types": [
                {"name": "t.Crate", "change": "changed", "parts": [part("label", "changed", Some("required"), Some("optional"))]},
                {"name": "t.Gauge", "change": "changed", "parts": [part("spec.range", "added", None, Some("[]number, optional"))]},
                {"name": "t.Gone", "change": "removed"},
                {"name": "t.Inner", "change": "changed", "parts": [
                    part("x", "changed", Some("integer (int32)"), Some("integer (int64)")),
                ]},
                {"name": "t.New", "change": "added"},
            ],
        }),
        "{printed}"
    );
    assert_eq!(
        run(&[]).differs(),
        "~ kind v1/Crate\n    ~ scope: Namespaced -> Cluster\n    - subresource: scale\n    + subresource: status\n\
         - kind v1/Gone\n+ kind v1/New\n~ kind example.com/v1/Gauge\n    + verb: watch\n\
         ~ type t.Crate\n    ~ label: required -> optional\n\
         ~ type t.Gauge\n    + spec.range: []number, optional\n- type t.Gone\n\
         ~ type t.Inner\n    ~ x: integer (int32) -> integer (int64)\n+ type t.New\n4 kinds, 5 types differ\n"
    );
    // One group is its kinds, and the types that these are made of.
    let custom = run(&["--group", "example.com", "--output", "json"]).differs();
    let names = |what: &str| -> Vec<String> {
        let found = json_of(&custom);
        let entries = found[what].as_array().unwrap().iter();
        entries
            .map(|entry| entry["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        (names("kinds"), names("types")),
        (
            vec!["example.com/v1/Gauge".to_owned()],
            vec!["t.Gauge".to_owned()]
        )
    );
    let same = place
        .run(&[
            "openapi", "diff", "old.json", "old.json", "--output", "json",
        ])
        .fine();
    assert_eq!(json_of(&same), json!({"kinds": [], "types": []}));
}

/// What a group is called that only the new document has is no mistake.
#[test]
fn a_group_of_either_document_can_be_named() {
    let place = Place::new();
    place.write(
        "old.json",
        &document(&kind("", "A", r#""verbs":[]"#), r#""t.A":{}"#),
    );
    place.write(
        "new.json",
        &document(&kind("b.com", "B", r#""verbs":[]"#), r#""t.B":{}"#),
    );
    let text = place
        .run(&[
            "openapi", "diff", "old.json", "new.json", "--group", "b.com",
        ])
        .differs();
    assert_eq!(
        text,
        "+ kind b.com/v1/B\n+ type t.B\n1 kind, 1 type differ\n"
    );
    let error = place
        .run(&[
            "openapi", "diff", "old.json", "new.json", "--group", "b.con",
        ])
        .failed();
    assert_eq!(
        error,
        "larder: neither document has a group \"b.con\" (did you mean \"b.com\"?)\n"
    );
}

/// A kind that was taken from the cluster, and one that came, also with the group of either.
#[test]
fn groups_and_kinds_that_come_and_go_in_the_cluster_are_told() {
    let place = Place::with_server(cluster());
    place.run(&["openapi", "pull"]).fine();
    let mut answers = cluster();
    answers.insert(
        "/openapi/v3".to_owned(),
        Answer::Json(
            json!({"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=A"}}})
                .to_string(),
        ),
    );
    let later = Place::with_server(answers);
    later.write("openapi.json", &place.read("openapi.json"));
    let diff = &["openapi", "diff", "openapi.json", "--live"][..];
    assert!(
        later
            .run(diff)
            .differs()
            .starts_with("- kind example.com/v1/Gauge\n")
    );
    let of_group = later
        .run(&[diff, &["--group", "example.com"]].concat())
        .differs();
    assert!(
        of_group.starts_with("- kind example.com/v1/Gauge\n"),
        "{of_group}"
    );
    assert_eq!(
        later.run(&[diff, &["--group", "core"]].concat()).fine(),
        "no difference\n"
    );
}
