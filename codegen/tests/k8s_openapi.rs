//! Names, fields, types and kinds of the carried documents against k8s-openapi's own sources, for every version.
//!
//! k8s-openapi carries the sources of all its versions, whichever is enabled.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use larder_codegen::{Kind, Model, Schema, Scope};
use larder_naming::{FIELD_EXCEPTIONS, field_name, k8s_openapi_path, module_name};
use support::{carried, k8s_openapi_sources, model};

/// Fields that k8s-openapi makes optional or not against the document: definition, field, why. Generated code does
/// not depend on it. A row that no version needs any more fails the test.
const OPTIONAL_BY_FIX: &[(&str, &str, &str)] = &[
    ("io.k8s.api.core.v1.ConfigMapEnvSource", "name", NAME),
    ("io.k8s.api.core.v1.ConfigMapKeySelector", "name", NAME),
    ("io.k8s.api.core.v1.ConfigMapProjection", "name", NAME),
    ("io.k8s.api.core.v1.ConfigMapVolumeSource", "name", NAME),
    ("io.k8s.api.core.v1.LocalObjectReference", "name", NAME),
    ("io.k8s.api.core.v1.SecretEnvSource", "name", NAME),
    ("io.k8s.api.core.v1.SecretKeySelector", "name", NAME),
    ("io.k8s.api.core.v1.SecretProjection", "name", NAME),
    (
        "io.k8s.api.events.v1.Event",
        "eventTime",
        "required by the document, null in events that core/v1 wrote",
    ),
    (
        "io.k8s.api.networking.v1.NetworkPolicySpec",
        "podSelector",
        "required by the documents of some versions only",
    ),
];

const NAME: &str =
    "optional in the document for old clients only; a reference without a name means nothing";

/// What a source file of k8s-openapi says about one type.
#[derive(Debug, Default)]
struct Source {
    /// Field to its type, as written, without spaces; empty for enums and newtypes.
    fields: BTreeMap<String, String>,
    /// JSON property to the field's name in `Field`, from `Deserialize`.
    keys: BTreeMap<String, String>,
    /// Constants and types of `impl Resource`.
    resource: BTreeMap<String, String>,
}

impl Source {
    /// The file is generated, so its items end with a `}` at the start of a line; only the items that matter are
    /// parsed, since all of it takes a minute.
    fn read(file: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut source = Self::default();
        let declaration = item(&text, &format!("pub struct {name} {{"));
        if let Some(text) = declaration {
            let parsed: syn::ItemStruct = syn::parse_str(&text).expect("a struct");
            for field in parsed.fields {
                let name = field.ident.expect("named fields").to_string();
                source.fields.insert(name, tokens(&field.ty));
            }
        }
        if let Some(text) = item(&text, &format!("impl crate::Resource for {name} {{")) {
            let parsed: syn::ItemImpl = syn::parse_str(&text).expect("an impl");
            for item in parsed.items {
                let (name, value) = match item {
                    syn::ImplItem::Const(item) => (item.ident.to_string(), tokens(&item.expr)),
                    syn::ImplItem::Type(item) => (item.ident.to_string(), tokens(&item.ty)),
                    _ => continue,
                };
                source
                    .resource
                    .insert(name, value.trim_matches('"').to_owned());
            }
        }
        for line in text.lines() {
            if let Some((key, field)) = line.trim().split_once(" => Field::Key_") {
                let key = key.trim_matches('"').to_owned();
                let field = field.trim_end_matches(',').to_owned();
                source.keys.insert(key, field);
            }
        }
        source
    }
}

fn item(text: &str, start: &str) -> Option<String> {
    let from = text.find(start)?;
    let length = text[from..].find("\n}")? + 2;
    let lines = text[from..from + length].lines();
    // Prose may hold anything.
    let code: Vec<&str> = lines
        .filter(|line| !line.trim().starts_with("///"))
        .collect();
    Some(code.join("\n"))
}

fn tokens(of: &impl quote::ToTokens) -> String {
    of.to_token_stream().to_string().replace(' ', "")
}

/// The type that k8s-openapi has for a shape.
fn rust_type(schema: &Schema) -> String {
    match schema {
        Schema::Boolean => "bool".into(),
        Schema::Integer(Some(format)) if format == "int32" => "i32".into(),
        Schema::Integer(Some(format)) if format == "int64" => "i64".into(),
        Schema::Number(Some(format)) if format == "double" => "f64".into(),
        Schema::String(None) => "std::string::String".into(),
        Schema::String(Some(format)) if format == "byte" => "crate::ByteString".into(),
        Schema::Array(items) => format!("std::vec::Vec<{}>", rust_type(items)),
        Schema::Map(members) => format!(
            "std::collections::BTreeMap<std::string::String,{}>",
            rust_type(members)
        ),
        Schema::Reference(name) => format!("crate::{}", k8s_openapi_path(name).expect("a path")),
        other => panic!("no field of Kubernetes has this shape: {other:?}"),
    }
}

/// The type without `Option` and without the `Box` that breaks a cycle, and whether there was an `Option`.
fn unwrapped(written: &str) -> (&str, bool) {
    let inside = |text: &'static str, written: &str| {
        let range = text.len()..written.len().saturating_sub(1);
        written.starts_with(text).then_some(range)
    };
    let (written, optional) = match inside("Option<", written) {
        Some(range) => (&written[range], true),
        None => (written, false),
    };
    match inside("std::boxed::Box<", written) {
        Some(range) => (&written[range], optional),
        None => (written, optional),
    }
}

struct Comparison<'a> {
    version: String,
    model: &'a Model,
    sources: &'a Path,
    wrong: Vec<String>,
    exceptions_seen: &'a mut BTreeSet<&'static str>,
    fixes_seen: &'a mut BTreeSet<(&'static str, &'static str)>,
    fields: usize,
}

impl Comparison<'_> {
    fn run(&mut self) {
        let lists: BTreeSet<&str> = self
            .model
            .kinds
            .values()
            .filter_map(|kind| kind.list_type.as_deref())
            .collect();
        for (definition, schema) in &self.model.types {
            // Lists of kinds are k8s-openapi's `List<T>`.
            if lists.contains(definition.as_str()) {
                continue;
            }
            let source = self.source(definition);
            if let Schema::Struct(fields) = schema
                && !source.fields.is_empty()
            {
                self.compare(definition, fields, &source);
            }
        }
        for kind in self.model.kinds.values() {
            self.compare_kind(kind);
        }
    }

    fn source(&self, definition: &str) -> Source {
        let path = k8s_openapi_path(definition)
            .unwrap_or_else(|| panic!("{definition} has no path in k8s-openapi"));
        let (modules, name) = path.rsplit_once("::").expect("modules and a name");
        let file = format!("{}/{}.rs", modules.replace("::", "/"), module_name(name));
        Source::read(&self.sources.join(file), name)
    }

    fn compare(&mut self, definition: &str, fields: &[larder_codegen::Field], source: &Source) {
        let is_resource = !source.resource.is_empty();
        let mut expected = BTreeMap::new();
        for field in fields {
            // A kind's own are constants of k8s-openapi's `Resource`.
            if is_resource && ["apiVersion", "kind"].contains(&field.name.as_str()) {
                continue;
            }
            self.fields += 1;
            let name = field_name(&field.name);
            let place = format!("{} {definition}.{}", self.version, field.name);
            if source.keys.get(&field.name) != Some(&name) {
                let key = source.keys.get(&field.name);
                self.wrong
                    .push(format!("{place}: {name}, k8s-openapi has {key:?}"));
            }
            if let Some(row) = FIELD_EXCEPTIONS
                .iter()
                .find(|row| row.property == field.name)
            {
                self.exceptions_seen.insert(row.property);
            }
            if let Some(written) = source.fields.get(&name) {
                let (written, optional) = unwrapped(written);
                let shape = rust_type(&field.schema);
                if written != shape {
                    self.wrong
                        .push(format!("{place}: {shape}, k8s-openapi has {written}"));
                }
                let always = is_resource && name == "metadata";
                if optional == field.required && !always && !self.is_fixed(definition, &field.name)
                {
                    self.wrong
                        .push(format!("{place}: required {}", field.required));
                }
            }
            expected.insert(name, ());
        }
        let theirs: Vec<&String> = source.fields.keys().collect();
        let ours: Vec<&String> = expected.keys().collect();
        if theirs != ours {
            self.wrong.push(format!(
                "{} {definition}: fields {ours:?}, k8s-openapi has {theirs:?}",
                self.version
            ));
        }
    }

    fn is_fixed(&mut self, definition: &str, field: &str) -> bool {
        let mut rows = OPTIONAL_BY_FIX.iter();
        let row = rows.find(|row| (row.0, row.1) == (definition, field));
        if let Some(row) = row {
            self.fixes_seen.insert((row.0, row.1));
        }
        row.is_some()
    }

    fn compare_kind(&mut self, kind: &Kind) {
        let definition = kind.type_name.as_deref().expect("every kind has its type");
        let source = self.source(definition);
        let scope = match kind.scope {
            Scope::Namespaced => "crate::NamespaceResourceScope",
            Scope::Cluster => "crate::ClusterResourceScope",
        };
        for (name, ours) in [
            ("API_VERSION", kind.id.api_version().as_str()),
            ("GROUP", &kind.id.group),
            ("KIND", &kind.id.kind),
            ("VERSION", &kind.id.version),
            ("URL_PATH_SEGMENT", &kind.plural),
            ("Scope", scope),
        ] {
            let theirs = source.resource.get(name);
            if theirs.map(String::as_str) != Some(ours) {
                self.wrong.push(format!(
                    "{} {}: {name} {ours}, k8s-openapi has {theirs:?}",
                    self.version, kind.id
                ));
            }
        }
    }
}

#[test]
fn all_kinds_and_fields_are_those_of_k8s_openapi() {
    let sources = k8s_openapi_sources();
    let mut exceptions_seen = BTreeSet::new();
    let mut fixes_seen = BTreeSet::new();
    let mut versions = 0;
    for (minor, file) in carried() {
        let model = model(&file);
        let mut comparison = Comparison {
            version: format!("1.{minor}"),
            model: &model,
            sources: &sources.join(format!("v1_{minor}")),
            wrong: Vec::new(),
            exceptions_seen: &mut exceptions_seen,
            fixes_seen: &mut fixes_seen,
            fields: 0,
        };
        comparison.run();
        assert!(
            comparison.wrong.is_empty(),
            "{}",
            comparison.wrong.join("\n")
        );
        assert!(comparison.fields > 2000, "compared {}", comparison.fields);
        versions += 1;
    }
    for row in FIELD_EXCEPTIONS {
        assert!(
            exceptions_seen.contains(row.property),
            "stale row: no carried version has {:?}",
            row.property
        );
    }
    for (definition, field, why) in OPTIONAL_BY_FIX {
        let seen = fixes_seen.contains(&(*definition, *field));
        assert!(seen, "stale row: {definition}.{field} ({why})");
    }
    let theirs = std::fs::read_dir(&sources)
        .expect("the sources")
        .filter(|entry| {
            let name = entry.as_ref().expect("an entry").file_name();
            name.to_string_lossy().starts_with("v1_")
        });
    assert_eq!(theirs.count(), versions, "k8s-openapi has other versions");
}
