//! What one definition says of its kind, beside the shape of its objects.

use serde_json::Value;

use super::merge::Merged;
use super::{Definitions, documents::Document};
use super::{keys, schema};
use crate::error::Diagnostics;
use crate::json::Node;
use crate::model::{CustomKind, Docs, KindId, PrinterColumn, Scale, Scope};

/// The name of a definition, as `certificates.cert-manager.io`.
pub(super) fn name_of(value: &Value) -> Option<&str> {
    value.get("metadata")?.get("name")?.as_str()
}

/// What all versions share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    group: String,
    kind: String,
    plural: String,
    singular: String,
    list_kind: String,
    short_names: Vec<String>,
    categories: Vec<String>,
    scope: Scope,
}

impl Names {
    /// `None` after an error.
    pub(super) fn read(document: &Document, diagnostics: &mut Diagnostics) -> Option<Self> {
        let root = document.root(name_of(&document.value).unwrap_or_default());
        let spec = root.require("spec", "the definition", diagnostics)?;
        let group = text(&spec, "group", "the name of a group", diagnostics);
        let scope = spec
            .require("scope", "a scope", diagnostics)
            .and_then(|scope| scope.word("scope", &Scope::WORDS, diagnostics));
        let names = spec.require("names", "the names of the kind", diagnostics)?;
        let kind = text(&names, "kind", "the name of a kind", diagnostics);
        let plural = text(&names, "plural", "the name of a resource", diagnostics);
        let singular = names.text_of("singular", diagnostics);
        let list_kind = names.text_of("listKind", diagnostics);
        let short_names = texts(&names, "shortNames", diagnostics);
        let categories = texts(&names, "categories", diagnostics);
        let kind = kind?;
        Some(Self {
            group: group?.to_owned(),
            // The server's own defaults.
            singular: singular.map_or_else(|| kind.to_lowercase(), str::to_owned),
            list_kind: list_kind.map_or_else(|| format!("{kind}List"), str::to_owned),
            kind: kind.to_owned(),
            plural: plural?.to_owned(),
            short_names,
            categories,
            scope: scope?,
        })
    }
}

/// The text of a member that must be there and say something.
fn text<'a>(
    node: &Node<'a>,
    key: &'a str,
    expected: &'static str,
    diagnostics: &mut Diagnostics,
) -> Option<&'a str> {
    let member = node.require(key, expected, diagnostics)?;
    let text = member.text(diagnostics)?;
    if text.is_empty() {
        diagnostics.push(member.unexpected(expected, "an empty string"));
        return None;
    }
    Some(text)
}

fn texts<'a>(node: &Node<'a>, key: &'a str, diagnostics: &mut Diagnostics) -> Vec<String> {
    let elements = node.elements_of(key, diagnostics);
    let texts = elements.iter().filter_map(|e| e.text(diagnostics));
    texts.map(str::to_owned).collect()
}

/// The versions of a document by their names.
pub(super) fn versions<'a>(
    document: &'a Document,
    diagnostics: &mut Diagnostics,
) -> Vec<(&'a str, Node<'a>)> {
    let name = name_of(&document.value).unwrap_or_default();
    let root = document.root(name);
    let Some(spec) = root.get("spec") else {
        // An error already.
        return Vec::new();
    };
    let Some(array) = spec.require("versions", "an array of versions", diagnostics) else {
        return Vec::new();
    };
    let mut versions = Vec::new();
    for version in array.elements(diagnostics) {
        if let Some(name) = text(&version, "name", "the name of a version", diagnostics) {
            let within = version.place().within().to_owned();
            let version = version.within(&format!("{within}, {name}"));
            versions.push((name, version));
        }
    }
    versions
}

impl Merged<'_> {
    /// Reads the versions that are wanted.
    pub(super) fn read_versions(
        &self,
        unserved: bool,
        into: &mut Definitions,
        diagnostics: &mut Diagnostics,
    ) {
        for (version, node) in &self.versions {
            let id = KindId::new(&self.names.group, version, &self.names.kind);
            let served = flag(node, "served", diagnostics);
            if !served && !unserved {
                into.unserved.push(id);
            } else if let Some(kind) = self.read_version(&id, node, diagnostics) {
                into.add(kind, diagnostics);
            }
        }
    }

    fn read_version(
        &self,
        id: &KindId,
        version: &Node<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<CustomKind> {
        let schema = version.require("schema", "the schema of the objects", diagnostics)?;
        let schema = schema.require("openAPIV3Schema", "a schema", diagnostics)?;
        let (object, docs) = schema::read_root(&schema, diagnostics);
        let subresources = version.get("subresources");
        let has_status = subresources
            .as_ref()
            .is_some_and(|s| s.get("status").is_some());
        let scale = subresources
            .and_then(|s| s.get("scale"))
            .and_then(|scale| read_scale(&scale, diagnostics));
        let columns = version.elements_of("additionalPrinterColumns", diagnostics);
        let columns = columns.iter();
        let selectable = version.elements_of("selectableFields", diagnostics);
        let mut warnings = Vec::new();
        keys::of_version(version, &mut warnings);
        Some(CustomKind {
            id: id.clone(),
            plural: self.names.plural.clone(),
            singular: self.names.singular.clone(),
            list_kind: self.names.list_kind.clone(),
            short_names: self.names.short_names.clone(),
            categories: self.names.categories.clone(),
            scope: self.names.scope,
            deprecated: deprecation(id, version, diagnostics),
            has_status,
            scale,
            printer_columns: columns
                .filter_map(|c| read_column(c, diagnostics))
                .collect(),
            selectable: selectable
                .iter()
                .filter_map(|field| text(field, "jsonPath", "a path", diagnostics))
                .map(|path| path.trim_start_matches('.').to_owned())
                .collect(),
            object,
            docs,
            place: version.place(),
            warnings,
            document: None,
        })
    }
}

fn flag<'a>(node: &Node<'a>, key: &'a str, diagnostics: &mut Diagnostics) -> bool {
    let Some(flag) = node.get(key) else {
        return false;
    };
    flag.boolean(diagnostics).unwrap_or_default()
}

/// The server's warning where a version is deprecated.
fn deprecation(id: &KindId, version: &Node<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let own = version.text_of("deprecationWarning", diagnostics);
    flag(version, "deprecated", diagnostics).then(|| {
        own.map_or_else(
            || format!("{} {} is deprecated", id.api_version(), id.kind),
            str::to_owned,
        )
    })
}

fn read_scale(scale: &Node<'_>, diagnostics: &mut Diagnostics) -> Option<Scale> {
    let path = |key, diagnostics: &mut Diagnostics| {
        text(scale, key, "a path", diagnostics).map(str::to_owned)
    };
    Some(Scale {
        spec_replicas: path("specReplicasPath", diagnostics)?,
        status_replicas: path("statusReplicasPath", diagnostics)?,
        label_selector: scale
            .text_of("labelSelectorPath", diagnostics)
            .filter(|path| !path.is_empty())
            .map(str::to_owned),
    })
}

fn read_column(column: &Node<'_>, diagnostics: &mut Diagnostics) -> Option<PrinterColumn> {
    let name = text(column, "name", "the name of a column", diagnostics);
    let of_type = text(column, "type", "the type of a column", diagnostics);
    let json_path = text(column, "jsonPath", "a path", diagnostics);
    let mut optional = |key| {
        let text = column.text_of(key, diagnostics);
        text.unwrap_or_default().to_owned()
    };
    let (format, description) = (optional("format"), optional("description"));
    let priority = column.get("priority").and_then(|p| p.value.as_i64());
    Some(PrinterColumn {
        name: name?.to_owned(),
        of_type: of_type?.to_owned(),
        json_path: json_path?.to_owned(),
        format,
        description: Docs::new(&description),
        priority: i32::try_from(priority.unwrap_or_default()).unwrap_or_default(),
    })
}
