use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::table::{Field, LEFT_OUT, ROWS, Row};
use super::{Reads, Selectable, named};
use crate::model::{Kind, Model, Schema};
use crate::support::{carried, model, release, releases};

/// What the server's code calls by a constant of `k8s.io/api/resource`.
const NAMED: &[(&str, &str)] = &[
    ("ResourceSliceSelectorNodeName", "spec.nodeName"),
    ("ResourceSliceSelectorDriver", "spec.driver"),
    ("ResourceSliceSelectorPoolName", "spec.pool.name"),
];

fn minor(release: &str) -> u8 {
    release.split('.').nth(1).unwrap().parse().unwrap()
}

fn of_row<'a>(model: &'a Model, row: &Row) -> Vec<&'a Kind> {
    let is_of_row = |kind: &&Kind| kind.id.group == row.group && kind.id.kind == row.kind;
    model.kinds.values().filter(is_of_row).collect()
}

fn known(row: &Row, minor: u8) -> impl Iterator<Item = &Field> {
    row.fields.iter().filter(move |field| field.since <= minor)
}

/// The shape at a path below a definition.
fn shape<'a>(model: &'a Model, definition: &str, path: &str) -> Option<&'a Schema> {
    path.split('.')
        .try_fold(model.types.get(definition)?, |schema, name| {
            let schema = match schema {
                Schema::Reference(name) => model.types.get(name)?,
                schema => schema,
            };
            schema.field(name).map(|field| &field.schema)
        })
}

#[test]
fn what_is_read_is_there_in_each_version_and_has_the_type() {
    let mut met = BTreeSet::new();
    for (minor, file) in carried() {
        let model = model(&file);
        for row in ROWS {
            for kind in of_row(&model, row) {
                met.insert((row.group, row.kind));
                let definition = kind.type_name.as_deref().unwrap();
                for field in known(row, u8::try_from(minor).unwrap()) {
                    let is = |path: &str, expected: fn(&Schema) -> bool| {
                        let found = shape(&model, definition, path);
                        assert!(
                            found.is_some_and(expected),
                            "1.{minor}, {}: {path} is {found:?}",
                            kind.id
                        );
                    };
                    let text = |schema: &Schema| *schema == Schema::String(None);
                    match &field.reads {
                        Reads::Text(path) => is(path, text),
                        Reads::Bool(path) => is(path, |schema| *schema == Schema::Boolean),
                        Reads::I32(path) => is(path, |schema| {
                            *schema == Schema::Integer(Some("int32".to_owned()))
                        }),
                        Reads::FirstOf(first, second) => {
                            is(first, text);
                            is(second, text);
                        }
                        Reads::Name | Reads::Namespace => panic!("{} is of all kinds", field.path),
                        Reads::I64(_) | Reads::Choice(_) | Reads::Shown(_) | Reads::Anything(_) => {
                            panic!("{} is as no field of Kubernetes", field.path)
                        }
                    }
                }
            }
        }
    }
    assert_eq!(met.len(), ROWS.len(), "a row is of no kind any more");
}

/// The labels that the conversion function of a kind accepts, out of its Go code: the texts and constants of its `case`s, or the keys of
/// the map that stands before it.
fn accepted(code: &str, kind: &str) -> Option<BTreeSet<String>> {
    let at = code.find(&format!("WithKind(\"{kind}\")"))?;
    let (before, after) = code.split_at(at);
    let own = after
        .split("default:")
        .next()
        .filter(|own| own.contains("switch label"));
    let lines: Vec<&str> = match own {
        Some(own) => own
            .lines()
            .filter(|line| !line.contains("return"))
            .collect(),
        None => {
            let (_, map) = before.rsplit_once("map[string]string{")?;
            map.lines()
                .filter_map(|line| Some(line.split_once(':')?.0))
                .collect()
        }
    };
    let texts = lines
        .iter()
        .flat_map(|line| line.split('"').skip(1).step_by(2));
    let named = NAMED
        .iter()
        .filter(|(name, _)| lines.iter().any(|line| line.contains(name)));
    let mut labels: BTreeSet<String> = texts.map(str::to_owned).collect();
    labels.extend(named.map(|(_, label)| (*label).to_owned()));
    labels.remove(kind);
    Some(labels)
}

/// The server's own code, where the releases are in Go's module cache.
#[test]
fn the_table_is_what_the_servers_of_each_release_accept_and_compute() {
    for version in releases() {
        let Some(documents) = release(&version) else {
            continue;
        };
        let root = documents.ancestors().nth(2).unwrap();
        let (_, file) = carried()
            .into_iter()
            .find(|(carried, _)| *carried == u32::from(minor(&version)))
            .unwrap();
        let model = model(&file);
        for row in ROWS {
            for kind in of_row(&model, row) {
                let place = format!("{version}, {}", kind.id);
                compare_accepted(root, row, kind, minor(&version), &place);
                compare_computed(root, row, minor(&version), &place);
            }
        }
    }
}

fn compare_accepted(root: &Path, row: &Row, kind: &Kind, minor: u8, place: &str) {
    let file = format!(
        "pkg/apis/{}/{}/conversion.go",
        row.accepted, kind.id.version
    );
    let code = fs::read_to_string(root.join(&file)).unwrap();
    let theirs = accepted(&code, row.kind).unwrap_or_else(|| panic!("{place}: none in {file}"));
    let mut ours: BTreeSet<String> = known(row, minor)
        .map(|field| field.path.to_owned())
        .collect();
    ours.insert("metadata.name".to_owned());
    if row.namespace {
        ours.insert("metadata.namespace".to_owned());
    }
    let left_out = LEFT_OUT.iter().filter(|(kind, ..)| *kind == row.kind);
    for (_, path, why) in left_out {
        assert!(!ours.contains(*path), "{place}: {path} is left out ({why})");
        ours.insert((*path).to_owned());
    }
    assert_eq!(ours, theirs, "{place}");
}

fn compare_computed(root: &Path, row: &Row, minor: u8, place: &str) {
    let code = fs::read_to_string(root.join("pkg/registry").join(row.computed)).unwrap();
    let computes = |path: &str| {
        let names = NAMED.iter().filter(|(_, label)| *label == path);
        code.contains(&format!("\"{path}\""))
            || names.into_iter().any(|(name, _)| code.contains(name))
    };
    for field in known(row, minor) {
        // The field set is one for both kinds of events, in the words of the core group.
        let path = field.path.replace("regarding.", "involvedObject.");
        let path = path.replace("reportingController", "reportingComponent");
        assert!(
            computes(&path),
            "{place}: {path} is not in {}",
            row.computed
        );
    }
    assert!(
        !computes("status.podIPs"),
        "{place}: status.podIPs is computed now"
    );
}

/// What a newer server knows is no constant for an older one, nor where the version is unknown.
#[test]
fn a_field_that_is_newer_than_the_server_is_left_out() {
    let (_, file) = carried().into_iter().next_back().unwrap();
    let model = model(&file);
    let slices = model
        .kind("resource.k8s.io", "v1", "ResourceSlice")
        .unwrap();
    let has = |minor: Option<u8>, path: &str| {
        let fields = super::fields(slices, minor);
        fields.iter().any(|field| field.path == path)
    };
    for minor in [None, Some(34), Some(36), Some(37), Some(38)] {
        assert!(has(minor, "spec.driver"), "{minor:?}");
        let newer = minor.is_some_and(|minor| minor >= 37);
        assert_eq!(has(minor, "spec.pool.name"), newer, "{minor:?}");
    }
}

#[test]
fn paths_are_named_once() {
    for row in ROWS {
        let paths: BTreeSet<_> = row.fields.iter().map(|field| field.path).collect();
        assert_eq!(paths.len(), row.fields.len(), "{}", row.kind);
    }
}

#[test]
fn constants_and_methods_are_named_as_fields_are() {
    let names = |paths: &[&'static str]| -> Vec<(String, String)> {
        let field = |path: &&'static str| Selectable {
            path: (*path).into(),
            reads: Reads::Text((*path).into()),
        };
        let fields: Vec<_> = paths.iter().map(field).collect();
        named(&fields)
            .map(|named| (named.constant, named.method))
            .collect()
    };
    for (path, name) in [
        ("spec.nodeName", "spec_node_name"),
        ("status.podIP", "status_pod_ip"),
        ("type", "type"),
        ("spec.type", "spec_type"),
        ("involvedObject.apiVersion", "involved_object_api_version"),
        ("spec.x-unit", "spec_x_unit"),
        ("all", "all_field"),
        ("owner", "owner_field"),
    ] {
        assert_eq!(
            names(&[path]),
            [(name.to_uppercase(), format!("by_{name}"))]
        );
    }
    let alike = names(&["spec.fooBar", "spec.foo_bar", "spec.foo.bar"]);
    let constants: Vec<_> = alike
        .iter()
        .map(|(constant, _)| constant.as_str())
        .collect();
    assert_eq!(
        constants,
        [
            "SPEC_FOO_UPPER_BAR",
            "SPEC_FOO_UNDERSCORE_BAR",
            "SPEC_FOO_BAR_"
        ]
    );
}
