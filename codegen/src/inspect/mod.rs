//! Looking at what would be generated from, instead of generating: for programs such as the command `larder`.
//!
//! Kinds that are not Kubernetes' own are told, whether of definitions or of a cluster's document, in the terms of a [`Model`]. The
//! types are what emitted ones will be: where a type of Kubernetes is used it is a reference to it, and what the server fills in
//! counts as present.

mod facts;

use std::collections::BTreeMap;
use std::path::Path;

use crate::built_in::BuiltIn;
use crate::crd;
use crate::error::{Diagnostics, Errors};
use crate::foreign;
use crate::model::{
    CustomKind, Field, Kind, KindId, Member, Model, Object, Property, Schema, Shape,
};
use crate::read::read_bytes;
pub use crate::selectable::{SelectableField, selectable_fields};
pub use crate::suggest::nearest;
pub use crate::warning::lines as warning_lines;
pub use facts::facts;

use crate::selectable::{declared, described, fields as known_fields};
use crate::types::{self, Library, Types};

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
/// These two and what they refer to. A test makes it from the carried documents.
const OF_EVERY_OBJECT: &str = include_str!("object_meta.json");

/// Kinds that are not Kubernetes' own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CustomResources {
    /// The kinds, one for each version that is served, and the types of their objects.
    pub model: Model,
    /// What the server selects the objects of each kind by.
    pub selectable: BTreeMap<KindId, Vec<SelectableField>>,
    /// Versions that the definitions say are not served.
    pub not_served: Vec<KindId>,
    /// How many documents are no definition.
    pub other_documents: usize,
}

/// Reads definitions as [`Config::crds`](crate::Config::crds) does: of files, directories and patterns.
///
/// ```
/// # let crds = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crds");
/// let found = larder_codegen::inspect::read_crds([format!("{crds}/*.yaml")])?;
/// let gadget = found.model.kind("shop.example.com", "v1", "Gadget").unwrap();
/// let object = &found.model.types[gadget.type_name.as_ref().unwrap()];
/// assert!(object.field("spec").unwrap().schema.field("size").is_some());
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
///
/// # Errors
///
/// All that is wrong with the patterns and the definitions.
pub fn read_crds<P: Into<String>>(
    patterns: impl IntoIterator<Item = P>,
) -> Result<CustomResources, Errors> {
    let patterns: Vec<String> = patterns.into_iter().map(Into::into).collect();
    let mut diagnostics = Diagnostics::default();
    let definitions = crd::read(&patterns, false, &mut diagnostics);
    let definitions = diagnostics.finish(definitions)?;
    let mut found = empty();
    found.not_served = definitions.unserved;
    found.other_documents = definitions.others;
    for custom in definitions.kinds.into_values() {
        add(custom, None, &Library::default(), &mut found);
    }
    Ok(found)
}

/// What a document says of its kinds that are not Kubernetes' own: aggregated APIs, and custom resources.
///
/// ```
/// # let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/v1_37.json");
/// let found = larder_codegen::inspect::describe(&larder_codegen::read(document)?);
/// assert!(found.selectable.is_empty());
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
#[must_use]
pub fn describe(model: &Model) -> CustomResources {
    let kinds = foreign::kinds(model, Path::new("document"));
    let kinds: Vec<CustomKind> = kinds.collect();
    let library = Library::of(&kinds, model, &BuiltIn::default());
    let mut found = empty();
    for (name, of) in &model.described {
        let schema = schema(&of.member.shape, &mut found.model);
        found.model.types.insert(name.clone(), schema);
    }
    for custom in kinds {
        let name = custom.definition().map(str::to_owned);
        add(custom, name, &library, &mut found);
    }
    found
}

/// The names in Rust that the types of custom resources have for the properties of one object. Of names that would collide, none
/// gets the plain one.
///
/// ```
/// assert_eq!(
///     larder_codegen::inspect::field_names(&["nodeName", "a-b", "a_b"]),
///     ["node_name", "a_dash_b", "a_underscore_b"],
/// );
/// ```
#[must_use]
pub fn field_names(properties: &[&str]) -> Vec<String> {
    types::property_names(properties)
}

/// Nothing but what every object has, which a test reads.
fn empty() -> CustomResources {
    let of_every_object = read_bytes(Path::new("object_meta.json"), OF_EVERY_OBJECT.as_bytes());
    CustomResources {
        model: of_every_object.unwrap_or_default(),
        ..CustomResources::default()
    }
}

/// Adds a kind, whose definition is called `name`; without one it is what the server calls it.
fn add(custom: CustomKind, name: Option<String>, library: &Library, found: &mut CustomResources) {
    let name = name.unwrap_or_else(|| type_name(&custom.id));
    let object = root(&custom.object, &mut found.model);
    found.model.types.insert(name.clone(), object);
    let mut kind = custom.kind();
    let selectable = selectable(&kind, &custom, library);
    found.selectable.insert(custom.id.clone(), selectable);
    kind.type_name = Some(name);
    found.model.kinds.insert(custom.id, kind);
}

fn selectable(kind: &Kind, custom: &CustomKind, library: &Library) -> Vec<SelectableField> {
    let types = Types::of(custom, library);
    let paths = custom.selectable.iter();
    let mut fields = known_fields(kind, None);
    fields.extend(paths.clone().filter_map(|path| declared(path, &types)));
    let mut fields = described(&fields);
    for path in paths {
        if !fields.iter().any(|known| known.path == *path) {
            fields.push(SelectableField {
                path: path.clone(),
                constant: None,
                since: None,
            });
        }
    }
    fields
}

/// What the server calls the definition of a custom resource's objects: `io.cert-manager.v1.Certificate`.
fn type_name(id: &KindId) -> String {
    let labels: Vec<&str> = id.group.rsplit('.').collect();
    format!("{}.{}.{}", labels.join("."), id.version, id.kind)
}

fn root(object: &Object, model: &mut Model) -> Schema {
    let mut fields = fields(object, model);
    fields.push(Field {
        name: "metadata".to_owned(),
        schema: Schema::Reference(OBJECT_META.to_owned()),
        required: true,
    });
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    Schema::Struct(fields)
}

fn fields(object: &Object, model: &mut Model) -> Vec<Field> {
    let field = |property: &Property| Field {
        name: property.name.clone(),
        schema: schema(&property.member.shape, model),
        required: (property.required || property.default.is_some()) && !property.member.nullable,
    };
    object.properties.iter().map(field).collect()
}

fn schema(shape: &Shape, model: &mut Model) -> Schema {
    let inner = |member: &Member, model: &mut Model| Box::new(schema(&member.shape, model));
    match shape {
        Shape::Boolean => Schema::Boolean,
        Shape::I32 => integer("int32"),
        Shape::I64 => integer("int64"),
        Shape::Number => Schema::Number(None),
        Shape::Text | Shape::Choice(_) => Schema::String(None),
        Shape::DateTime => Schema::String(Some("date-time".to_owned())),
        Shape::IntOrString => Schema::IntOrString,
        Shape::ObjectMeta => Schema::Reference(OBJECT_META.to_owned()),
        Shape::Definition(name) => Schema::Reference(name.clone()),
        Shape::List(items) => Schema::Array(inner(items, model)),
        Shape::Map(values) => Schema::Map(inner(values, model)),
        Shape::Object(object) => match types::built_in_definition(shape) {
            Some(definition) => reference(definition, object, model),
            None => Schema::Struct(fields(object, model)),
        },
        // Anything, and what the user has a type for.
        _ => Schema::Any,
    }
}

fn integer(format: &str) -> Schema {
    Schema::Integer(Some(format.to_owned()))
}

/// A type of Kubernetes, whose own types are of Kubernetes, too.
fn reference(definition: &str, object: &Object, model: &mut Model) -> Schema {
    if !model.types.contains_key(definition) {
        let mut of_kubernetes = Schema::Struct(fields(object, model));
        quantities(&mut of_kubernetes);
        model.types.insert(definition.to_owned(), of_kubernetes);
    }
    Schema::Reference(definition.to_owned())
}

/// What a definition of custom resources calls an integer or a string is a quantity in those types of Kubernetes that are used
/// (`types::reuse`; a test there keeps it so).
fn quantities(schema: &mut Schema) {
    match schema {
        Schema::IntOrString => *schema = Schema::Reference(QUANTITY.to_owned()),
        Schema::Array(inner) | Schema::Map(inner) => quantities(inner),
        Schema::Struct(fields) => {
            for field in fields {
                quantities(&mut field.schema);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalised;
    use crate::support::directory::Directory;

    #[test]
    fn what_every_object_has_is_as_in_every_carried_version() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut versions = (33..=37).map(|minor| {
            let document = folder.join(format!("../generated/v1_{minor}.json"));
            let carried = crate::read(document).unwrap();
            let mut model = Model::default();
            let mut open = vec![OBJECT_META, QUANTITY];
            while let Some(name) = open.pop() {
                let schema = &carried.types[name];
                open.extend(schema.references());
                model.types.insert(name.to_owned(), schema.clone());
            }
            normalised(&model)
        });
        let first = versions.next().unwrap();
        for other in versions {
            assert_eq!(other, first);
        }
        if std::env::var_os("LARDER_BLESS").is_some() {
            std::fs::write(folder.join("src/object_meta.json"), &first).unwrap();
        } else {
            assert!(
                first == OF_EVERY_OBJECT,
                "object_meta.json is stale: LARDER_BLESS=1"
            );
        }
        assert!(empty().model.types.len() > 3);
    }

    /// Every reference of a model leads somewhere, and so it is where the definitions of the corpus of fixtures are described.
    #[test]
    fn references_lead_to_types() {
        let crds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crds");
        let found = read_crds([crds.display().to_string()]).unwrap();
        assert!(found.model.kinds.len() > 3);
        for (name, schema) in &found.model.types {
            for reference in schema.references() {
                assert!(
                    found.model.types.contains_key(reference),
                    "{name}: {reference}"
                );
            }
        }
    }

    #[test]
    fn a_type_of_kubernetes_is_called_by_its_name_and_has_quantities() {
        let text = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: A, plural: as}
  versions:
  - name: v1
    served: true
    selectableFields: [{jsonPath: .spec.size}, {jsonPath: .spec.hue}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [a, b]
            properties:
              a: {type: string}
              b: {type: string, nullable: true}
              c: {type: string, default: x}
              hue: {type: number}
              size: {type: integer}
              resources:
                type: object
                properties:
                  claims:
                    type: array
                    items: {type: object, required: [name], properties: {name: {type: string}, request: {type: string}}}
                  limits: {type: object, additionalProperties: {x-kubernetes-int-or-string: true}}
                  requests: {type: object, additionalProperties: {x-kubernetes-int-or-string: true}}
  - {name: v0, served: false, schema: {openAPIV3Schema: {type: object}}}
"#;
        let directory = Directory::new("described");
        let file = directory.write("as.yaml", text);
        let found = read_crds([file.display().to_string()]).unwrap();
        let id = KindId::new("example.com", "v1", "A");
        let kind = &found.model.kinds[&id];
        assert_eq!(kind.type_name.as_deref(), Some("com.example.v1.A"));
        let spec = &found.model.types["com.example.v1.A"]
            .field("spec")
            .unwrap()
            .schema;
        let required = |name: &str| spec.field(name).unwrap().required;
        assert_eq!(
            ["a", "b", "c", "size"].map(required),
            [true, false, true, false]
        );
        let resources = "io.k8s.api.core.v1.ResourceRequirements";
        assert_eq!(
            spec.field("resources").unwrap().schema,
            Schema::Reference(resources.to_owned())
        );
        let limits = found.model.types[resources].field("limits").unwrap();
        let quantity = Schema::Reference(QUANTITY.to_owned());
        assert_eq!(limits.schema, Schema::Map(Box::new(quantity)));
        let selectable = found.selectable[&id].iter();
        let selectable: Vec<(&str, Option<&str>)> = selectable
            .map(|field| (field.path.as_str(), field.constant.as_deref()))
            .collect();
        assert_eq!(
            selectable,
            [
                ("metadata.name", Some("METADATA_NAME")),
                ("spec.size", Some("SPEC_SIZE")),
                ("spec.hue", None),
            ]
        );
        assert_eq!(found.not_served, [KindId::new("example.com", "v0", "A")]);
    }
}
