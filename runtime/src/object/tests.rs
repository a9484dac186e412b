//! Objects of any kind, out of bytes.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::{Dynamic, DynamicObject, Metadata, PartialObjectMetadata};
use crate::decode::RawBuffer;
use crate::kept::{Kept, KeptLabels, StoreError, Transform, TransformError};
use crate::kind::{Kind, Scope};

const WIDGETS: Kind =
    Kind::from_static("example.com", "v1", "Widget", "widgets", Scope::Namespaced);

fn stored<R: Kept>(json: &str, transform: &Transform<R::Object>) -> Result<R::Stored, StoreError> {
    let buffer = RawBuffer::new(json).unwrap().of_kind(WIDGETS);
    R::store(&buffer.raw(), transform)
}

fn metadata(json: &Value) -> Arc<PartialObjectMetadata> {
    stored::<Metadata>(&json.to_string(), &Transform::none()).unwrap()
}

fn dynamic(json: &Value) -> Arc<DynamicObject> {
    stored::<Dynamic>(&json.to_string(), &Transform::none()).unwrap()
}

fn widget() -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"namespace": "web", "name": "a", "labels": {"app": "a"}, "managedFields": [{"manager": "m"}]},
        "spec": {"sizes": [1, -2, 2.5, 1e300, u64::MAX], "on": true, "none": null, "text": "ü\n", "nested": [[], {}, [{"a": []}]]},
        "status": {"phase": "Ready"},
        "extra": "at the top",
    })
}

#[test]
fn c005_the_kind_is_the_informers_whatever_the_wire_says() {
    let said = [
        json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": {"name": "a"}}),
        json!({"metadata": {"name": "a"}}),
        json!({"apiVersion": null, "kind": 7, "metadata": {"name": "a"}}),
        widget(),
    ];
    for json in &said {
        for object in [
            serde_json::to_value(&*metadata(json)).unwrap(),
            serde_json::to_value(&*dynamic(json)).unwrap(),
        ] {
            assert_eq!(object["apiVersion"], "example.com/v1", "{json}");
            assert_eq!(object["kind"], "Widget", "{json}");
        }
    }
}

#[test]
fn a_dynamic_object_is_what_the_server_has() {
    let mut expected = widget();
    let object = dynamic(&expected);
    expected["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("managedFields");
    assert_eq!(serde_json::to_value(&*object).unwrap(), expected);
    assert_eq!(object.data["spec"], expected["spec"]);
    assert_eq!(object.data.get("metadata"), None);
    assert_eq!(Dynamic::labels(&object)["app"], "a");
    assert_eq!(object.key().unwrap().to_string(), "web/a");
}

#[test]
fn arrays_of_a_dynamic_object_have_their_exact_length() {
    fn check(value: &Value) {
        match value {
            Value::Array(array) => {
                assert_eq!(array.capacity(), array.len());
                array.iter().for_each(check);
            }
            Value::Object(map) => map.values().for_each(check),
            Value::String(text) => assert_eq!(text.capacity(), text.len()),
            _ => {}
        }
    }
    let mut object = widget();
    object["spec"]["many"] = Value::from(vec!["a\tb"; 40_000]);
    object["spec"]["five"] = json!([[1, 2, 3, 4, 5], "text"]);
    check(&dynamic(&object).data);
}

#[test]
fn metadata_of_a_whole_object_is_read_without_the_rest() {
    // As from a server that knows no `as`; the rest is not even looked at for its types.
    let object = metadata(&widget());
    assert_eq!(object.metadata.managed_fields, None);
    assert_eq!(
        serde_json::to_value(&*object).unwrap(),
        json!({
            "apiVersion": "example.com/v1",
            "kind": "Widget",
            "metadata": {"namespace": "web", "name": "a", "labels": {"app": "a"}},
        })
    );
    assert_eq!(Metadata::labels(&object)["app"], "a");
    assert!(Metadata::labels(&metadata(&json!({"metadata": {"name": "a"}}))).is_empty());
}

#[test]
fn what_does_not_decode_says_where_and_quotes_nothing() {
    for (json, expected) in [
        (r#"{"spec":{"secret":"s3cret"}}"#, "metadata"),
        (
            r#"{"metadata":{"name":"a"},"metadata":{"name":"s3cret"}}"#,
            "metadata",
        ),
        (
            r#"{"metadata":{"name":"a","labels":{"a":["s3cret"]}}}"#,
            "metadata.labels",
        ),
        (r#"["s3cret"]"#, "object"),
    ] {
        for error in [
            stored::<Metadata>(json, &Transform::none()).unwrap_err(),
            stored::<Dynamic>(json, &Transform::none()).unwrap_err(),
        ] {
            let StoreError::Decode(error) = error else {
                panic!("{json}: {error}");
            };
            let text = format!("{error} {error:?}");
            assert!(text.contains(expected), "{json}: {text}");
            assert!(!text.contains("s3cret"), "{json}: {text}");
        }
    }
    let error = stored::<Dynamic>(
        r#"{"metadata":{"name":"a"},"spec":{"a":[1,{"s3cret":tru}]}}"#,
        &Transform::none(),
    );
    let text = format!("{:?}", error.unwrap_err());
    assert!(!text.contains("s3cret"), "{text}");
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = format!(
        r#"{{"metadata":{{"name":"a"}},"spec":{}1{}}}"#,
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    assert!(stored::<Dynamic>(&deep, &Transform::none()).is_err());
    assert!(stored::<Metadata>(&deep, &Transform::none()).is_err());
}

#[test]
fn without_a_kind_nothing_is_stored() {
    let buffer = RawBuffer::new(r#"{"metadata":{"name":"a"}}"#).unwrap();
    let error = Metadata::store(&buffer.raw(), &Transform::none()).unwrap_err();
    assert!(matches!(error, StoreError::UnknownKind), "{error}");
    assert!(Dynamic::store(&buffer.raw(), &Transform::none()).is_err());
}

#[test]
fn transforms_change_metadata_or_the_dynamic_object() {
    let json = widget().to_string();
    let drop_labels = Transform::new(|metadata: &mut ObjectMeta| {
        metadata.labels = None;
        Ok(())
    });
    let object = stored::<Metadata>(&json, &drop_labels).unwrap();
    assert_eq!(object.metadata.labels, None);
    let drop_status = Transform::new(|object: &mut DynamicObject| {
        object.data["status"].take();
        Ok(())
    });
    let object = stored::<Dynamic>(&json, &drop_status).unwrap();
    assert_eq!(object.data["status"], Value::Null);
    let refuse = Transform::new(|_: &mut DynamicObject| Err(TransformError::new("no")));
    assert!(matches!(
        stored::<Dynamic>(&json, &refuse),
        Err(StoreError::Transform(_))
    ));
}

#[test]
fn debug_shows_which_object_it_is_and_no_data() {
    let text = format!("{:?} {:?}", metadata(&widget()), dynamic(&widget()));
    assert!(
        text.contains("widgets.example.com") && text.contains("web/a"),
        "{text}"
    );
    assert!(!text.contains("app") && !text.contains("Ready"), "{text}");
}

#[test]
fn what_a_transform_put_in_is_not_said_twice() {
    let disturb = Transform::new(|object: &mut DynamicObject| {
        object.data["kind"] = json!("Other");
        Ok(())
    });
    let object = stored::<Dynamic>(&widget().to_string(), &disturb).unwrap();
    let text = serde_json::to_string(&*object).unwrap();
    assert_eq!(text.matches(r#""kind""#).count(), 1);
    let scalar = Transform::new(|object: &mut DynamicObject| {
        object.data = json!(7);
        Ok(())
    });
    let object = stored::<Dynamic>(&widget().to_string(), &scalar).unwrap();
    let shown = serde_json::to_value(&*object).unwrap();
    assert_eq!(shown.as_object().unwrap().len(), 3);
}

#[cfg(feature = "kube")]
#[test]
fn kubes_types_are_a_copy_away() {
    let object = dynamic(&widget());
    let theirs = kube::core::DynamicObject::from(&*object);
    assert_eq!(
        serde_json::to_value(&theirs).unwrap(),
        serde_json::to_value(&*object).unwrap()
    );
    let object = metadata(&widget());
    let theirs = kube::core::PartialObjectMeta::<kube::core::DynamicObject>::from(&*object);
    assert_eq!(
        serde_json::to_value(&theirs).unwrap(),
        serde_json::to_value(&*object).unwrap()
    );
    let resource = kube::core::ApiResource::from(&WIDGETS);
    assert_eq!(resource.api_version, "example.com/v1");
    assert_eq!(
        (resource.kind.as_str(), resource.plural.as_str()),
        ("Widget", "widgets")
    );
}
