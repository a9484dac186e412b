//! Directories of OpenAPI v3: which files they hold, and how their models become one.

use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use larder_naming::BuiltInGroup;

use super::discovery::{Discovery, is_discovery};
use super::{openapi, read_file};
use crate::error::{Diagnostics, Error, Errors, Problem};
use crate::json::{self, Node};
use crate::model::Model;

/// The document of one group-version, or of discovery and the like, whose group and version are empty here.
struct Part {
    group: String,
    version: String,
    /// Where it is, or what it is called in errors.
    file: PathBuf,
    /// What it holds, where it is no file.
    bytes: Option<Vec<u8>>,
}

pub(super) fn read_directory(directory: &Path) -> Result<Model, Errors> {
    let index = directory.join("index.json");
    let mut parts = if index.is_file() {
        indexed(directory, &index)?
    } else {
        released(directory)?
    };
    let discovery = directory.join("discovery.json");
    if discovery.is_file() {
        parts.push(part(&[], discovery));
    }
    read_all(parts)
}

/// Reads the documents of group-versions, as `/openapi/v3` serves them, from memory.
///
/// Each comes with its path in the index, as `apis/apps/v1`; errors name it by that. Answers of discovery, as `/apis/apps/v1` has
/// them, may be among them under any path.
///
/// ```
/// let document = r#"{"openapi": "3.0.0", "paths": {}, "components": {"schemas": {}}}"#;
/// let model = larder_codegen::read_parts([("api/v1".to_owned(), document.into())])?;
/// assert!(model.kinds.is_empty());
/// # Ok::<(), larder_codegen::Errors>(())
/// ```
///
/// # Errors
///
/// As [`read`](crate::read).
pub fn read_parts(documents: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Model, Errors> {
    let parts = documents.into_iter().map(|(path, bytes)| {
        let segments: Vec<&str> = path.split('/').collect();
        Part {
            bytes: Some(bytes),
            ..part(&segments, PathBuf::from(&path))
        }
    });
    read_all(parts.collect())
}

fn read_all(mut parts: Vec<Part>) -> Result<Model, Errors> {
    // Kubernetes' own first: where an aggregated API has another form of a shared type, Kubernetes' form counts.
    parts.sort_by_cached_key(|part| {
        let foreign = BuiltInGroup::find(&part.group).is_none();
        (
            foreign,
            part.group.clone(),
            part.version.clone(),
            part.file.clone(),
        )
    });
    let mut diagnostics = Diagnostics::default();
    let mut model = Model::default();
    let mut discovery = Discovery::default();
    for part in &parts {
        match read_part(part, &mut discovery) {
            Ok(of_part) => merge(&mut model, of_part, &part.file),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    discovery.apply(&mut model);
    diagnostics.finish(model)
}

/// Discovery has no model of its own.
fn read_part(part: &Part, discovery: &mut Discovery) -> Result<Model, Errors> {
    let file = part.file.as_path();
    let value = match &part.bytes {
        Some(bytes) => json::parse(file, bytes)?,
        None => json::parse(file, &read_file(file)?)?,
    };
    let mut diagnostics = Diagnostics::default();
    let root = Node::root(file, &value);
    if is_discovery(&root) {
        discovery.read(&root, &mut diagnostics);
        return diagnostics.finish(Model::default());
    }
    let model = openapi::read(&root, openapi::Flavour::V3, &mut diagnostics);
    diagnostics.finish(model)
}

fn merge(model: &mut Model, mut part: Model, file: &Path) {
    model.notes.extend(part.notes);
    for (name, schema) in part.types {
        let described = part.described.remove(&name);
        match model.types.entry(name) {
            Entry::Vacant(entry) => {
                let described = described.map(|of| (entry.key().clone(), of));
                model.described.extend(described);
                entry.insert(schema);
            }
            Entry::Occupied(entry)
                if *entry.get() == schema && model.described.get(entry.key()) == described.as_ref() => {}
            Entry::Occupied(entry) => model.notes.push(format!(
                "{}: {:?} is defined otherwise than in another group-version; the other one is used",
                file.display(),
                entry.key()
            )),
        }
    }
    for (id, kind) in part.kinds {
        model.kinds.entry(id).or_insert(kind);
    }
}

/// Files as `api/openapi-spec/v3` of a release has them: `api__v1_openapi.json`, `apis__apps__v1_openapi.json`.
fn released(directory: &Path) -> Result<Vec<Part>, Errors> {
    let failed = |source| {
        let action = "read";
        Error::at_file(directory, Problem::Io { action, source })
    };
    let mut parts = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let Some(stem) = name.to_str().and_then(|n| n.strip_suffix("_openapi.json")) else {
            continue;
        };
        let segments: Vec<&str> = stem.split("__").collect();
        parts.push(part(&segments, directory.join(&name)));
    }
    if !parts.iter().any(Part::is_group_version) {
        let problem = Problem::NotADocument("a directory with neither `index.json` nor such files");
        return Err(Error::at_file(directory, problem).into());
    }
    Ok(parts)
}

/// Files as the index of a cluster names them.
fn indexed(directory: &Path, index: &Path) -> Result<Vec<Part>, Errors> {
    let value = json::parse(index, &read_file(index)?)?;
    let mut diagnostics = Diagnostics::default();
    let root = Node::root(index, &value);
    let mut parts = Vec::new();
    if let Some(paths) = root.require("paths", "the paths of the group-versions", &mut diagnostics)
    {
        for (path, _) in paths.members(&mut diagnostics) {
            let segments: Vec<&str> = path.split('/').collect();
            let safe = segments
                .iter()
                .all(|s| !s.is_empty() && !s.starts_with('.'));
            if safe {
                parts.push(part(&segments, directory.join(format!("{path}.json"))));
            }
        }
        // Documents without kinds need not have been fetched.
        parts.retain(|part| part.is_group_version() || part.file.is_file());
        if !parts.iter().any(Part::is_group_version) {
            let none = "it names no group-version, as `api/v1` or `apis/apps/v1`";
            diagnostics.push(paths.error(Problem::NotADocument(none)));
        }
    }
    diagnostics.finish(parts)
}

fn part(segments: &[&str], file: PathBuf) -> Part {
    let (group, version) = match segments {
        ["api", version] => ("", *version),
        ["apis", group, version] => (*group, *version),
        _ => ("", ""),
    };
    let (group, version) = (group.to_owned(), version.to_owned());
    Part {
        group,
        version,
        file,
        bytes: None,
    }
}

impl Part {
    fn is_group_version(&self) -> bool {
        !self.version.is_empty()
    }
}
