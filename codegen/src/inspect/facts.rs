//! What a document says beside bare schemas, in words.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{Member, Model, Shape};

/// What a document says of a definition that is not Kubernetes' own beside its bare [`Schema`](crate::Schema), by the paths in it: whether null is a value,
/// the default, the values of an enum, whether fields that are not named are kept. Types are made of it.
///
/// ```
/// let document = r#"{"larder": 1, "kinds": [], "types": {
///     "com.example.v1.Gauge": {"type": "object", "properties": {"unit": {"type": "string", "nullable": true}}}
/// }}"#;
/// let model = larder_codegen::read_bytes("a.json".as_ref(), document.as_bytes())?;
/// let facts = larder_codegen::inspect::facts(&model, "com.example.v1.Gauge");
/// assert_eq!(facts["unit"], "nullable");
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn facts(model: &Model, definition: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Some(described) = model.described.get(definition) {
        facts_of(&described.member, None, "", &mut found);
    }
    found
}

fn facts_of(
    member: &Member,
    default: Option<&Value>,
    path: &str,
    found: &mut BTreeMap<String, String>,
) {
    let mut facts = Vec::new();
    facts.extend(member.nullable.then(|| "nullable".to_owned()));
    facts.extend(default.map(|default| format!("default {default}")));
    match &member.shape {
        Shape::Choice(values) => {
            let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
            facts.push(format!("one of {}", values.join(", ")));
        }
        Shape::List(inner) => facts_of(inner, None, &format!("{path}[]"), found),
        Shape::Map(inner) => facts_of(inner, None, &format!("{path}{{}}"), found),
        Shape::Object(object) => {
            for property in &object.properties {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{}", property.name);
                facts_of(&property.member, property.default.as_ref(), &path, found);
            }
            facts.extend(
                object
                    .rest
                    .as_ref()
                    .map(|_| "other fields are kept".to_owned()),
            );
        }
        _ => {}
    }
    if !facts.is_empty() {
        found.insert(path.to_owned(), facts.join(", "));
    }
}
