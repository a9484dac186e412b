use std::sync::Arc;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{Event, Node, Pod};
use serde_json::{Value, json};

use super::*;
use crate::{Dynamic, Kept, Kind, Metadata, RawBuffer, Scope, Transform, field};

#[test]
fn values_read_as_the_server_reads_them() {
    let successful: Selectable<Job> = Selectable::__new(
        "status.successful",
        Reads::I32(field!(Job, status.succeeded)),
    );
    let mut job = Job::default();
    assert_eq!(successful.value(&job), "0");
    assert!(successful.eq(0).matches(&job));
    job.status = Some(serde_json::from_value(json!({"succeeded": 3})).unwrap());
    assert_eq!(successful.value(&job), "3");
    assert_eq!(successful.ne(2).to_string(), "status.successful!=2");

    let unschedulable: Selectable<Node> = Selectable::__new(
        "spec.unschedulable",
        Reads::Bool(field!(Node, spec.unschedulable)),
    );
    let mut node = Node::default();
    assert!(unschedulable.eq(false).matches(&node));
    node.spec = Some(serde_json::from_value(json!({"unschedulable": true})).unwrap());
    assert!(unschedulable.eq(true).matches(&node));
}

#[test]
fn the_second_text_counts_where_the_first_is_absent_or_empty() {
    let source: Selectable<Event> = Selectable::__new(
        "source",
        Reads::FirstOf(FirstOf {
            path: "source",
            first: field!(Event, source.component),
            second: field!(Event, reportingComponent),
        }),
    );
    for (event, expected) in [
        (json!({}), ""),
        (json!({"reportingComponent": "a"}), "a"),
        (
            json!({"reportingComponent": "a", "source": {"component": ""}}),
            "a",
        ),
        (
            json!({"reportingComponent": "a", "source": {"component": "b"}}),
            "b",
        ),
    ] {
        let mut event = event;
        event["metadata"] = json!({});
        event["involvedObject"] = json!({});
        let event: Event = serde_json::from_value(event).unwrap();
        assert_eq!(source.value(&event), expected);
    }
}

#[test]
fn objects_of_any_kind_have_a_name_and_a_namespace() {
    let mut metadata = ObjectMeta::default();
    assert_eq!(Selectable::METADATA_NAMESPACE.value(&metadata), "");
    metadata.name = Some("a".into());
    assert!(Selectable::METADATA_NAME.eq("a").matches(&metadata));
    let pod = Pod {
        metadata,
        ..Default::default()
    };
    assert_eq!(Selectable::__NAME.value(&pod), "a");

    let json = r#"{"metadata":{"name":"a","namespace":"b"},"spec":{}}"#;
    let kind = Kind::new("example.com", "v1", "Shirt", "shirts", Scope::Namespaced);
    let raw = RawBuffer::new(json).unwrap().of_kind(kind);
    let metadata = Metadata::store(&raw.raw(), &Transform::none()).unwrap();
    assert_eq!(Selectable::METADATA_NAMESPACE.value(&*metadata), "b");
    let object = Dynamic::store(&raw.raw(), &Transform::none()).unwrap();
    assert_eq!(Selectable::METADATA_NAME.value(&*object), "a");
}

fn shirt(spec: &Value) -> Arc<DynamicObject> {
    let json = json!({"metadata": {"name": "a"}, "spec": spec}).to_string();
    let kind = Kind::new("example.com", "v1", "Shirt", "shirts", Scope::Namespaced);
    let raw = RawBuffer::new(json).unwrap().of_kind(kind);
    Dynamic::store(&raw.raw(), &Transform::none()).unwrap()
}

#[test]
fn what_a_custom_resource_lacks_reads_as_nothing_whatever_its_type() {
    struct Shirt {
        color: Option<String>,
        pockets: Option<i64>,
        iron: Option<bool>,
    }
    let fields = [
        Selectable::of_custom_resource(field!(Shirt, color)),
        Selectable::of_custom_resource(field!(Shirt, pockets)),
        Selectable::of_custom_resource(field!(Shirt, iron)),
    ];
    let values = |shirt: &Shirt| fields.map(|field| field.value(shirt).into_owned());
    let mut some = Shirt {
        color: None,
        pockets: None,
        iron: None,
    };
    assert_eq!(values(&some), ["", "", ""]);
    (some.color, some.pockets, some.iron) = (Some("red".into()), Some(0), Some(false));
    assert_eq!(values(&some), ["red", "0", "false"]);

    let value = |path, spec| {
        Selectable::of_dynamic(path)
            .value(&shirt(&spec))
            .into_owned()
    };
    assert_eq!(value("spec.color", json!({})), "");
    assert_eq!(value("spec.color", json!({"color": "red"})), "red");
    assert_eq!(
        value("spec.fit.wide", json!({"fit": {"wide": false}})),
        "false"
    );
    assert_eq!(value("spec.pockets", json!({"pockets": 2})), "2");
    assert_eq!(value("spec.pockets", json!({"pockets": null})), "");
    assert_eq!(value("spec.fit", json!({"fit": {"wide": true}})), "");
}
