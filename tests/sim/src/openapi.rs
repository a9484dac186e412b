//! Kinds from an OpenAPI document.
//!
//! Source of the facts: the documents of Kubernetes 1.37. An operation says its kind in
//! `x-kubernetes-group-version-kind`; a kind is namespaced if a path of its plural names a namespace; a built-in kind
//! can be watched if it has a path below `/watch/`, and custom ones always can, although none of theirs has such a path.

use crate::kind::Kind;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Why a document gives no kinds.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// A file or directory cannot be read.
    #[error("{path}: cannot be read")]
    Read {
        /// Which one.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file is not JSON.
    #[error("{path}: not JSON")]
    Parse {
        /// Which one.
        path: String,
        /// Where in it.
        #[source]
        source: serde_json::Error,
    },
    /// A directory holds no document.
    #[error(
        "{path}: holds no document: expected files like apis__apps__v1_openapi.json (as in a Kubernetes release) or \
         apis/apps/v1.json"
    )]
    NoDocuments {
        /// Which one.
        path: String,
    },
    /// The document has no `paths`, so it is neither OpenAPI v3 nor v2.
    #[error(
        "the document has no member \"paths\": give an OpenAPI v3 document of a group-version, or a v2 one (swagger.json)"
    )]
    NoPaths,
    /// The document has paths, but none of them is a collection of a kind.
    #[error(
        "the document describes no kind: none of its {paths} paths has a get operation with x-kubernetes-action \"list\""
    )]
    NoKinds {
        /// How many paths it has.
        paths: usize,
    },
}

#[derive(Default)]
struct Found {
    kind: String,
    namespaced: bool,
    has_status: bool,
    watch_path: bool,
    listable: bool,
}

/// The kinds that an OpenAPI v3 document of one group-version, or a v2 document (`swagger.json`), describes: those
/// with a collection that can be listed.
///
/// Kinds of groups without a dot, and of groups that end in `.k8s.io`, are taken for built-in ones if the document
/// has `/watch/` paths; all others for custom ones.
///
/// # Errors
///
/// If the document has no paths, or none of a kind.
///
/// ```
/// use larder_sim::kinds_from_openapi;
/// use serde_json::json;
///
/// let gvk = json!({"group": "example.com", "version": "v1", "kind": "Widget"});
/// let list = json!({"get": {"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": gvk}});
/// let document = json!({"paths": {"/apis/example.com/v1/namespaces/{namespace}/widgets": list}});
/// let kinds = kinds_from_openapi(&document)?;
/// assert!(kinds[0].namespaced && kinds[0].custom);
/// # Ok::<(), larder_sim::OpenApiError>(())
/// ```
pub fn kinds_from_openapi(document: &Value) -> Result<Vec<Kind>, OpenApiError> {
    let paths = document
        .get("paths")
        .and_then(Value::as_object)
        .ok_or(OpenApiError::NoPaths)?;
    let mut found: BTreeMap<(String, String, String), Found> = BTreeMap::new();
    for (path, operations) in paths {
        if let Some(place) = Place::parse(path) {
            let key = (
                place.group.to_owned(),
                place.version.to_owned(),
                place.plural.to_owned(),
            );
            found.entry(key).or_default().add(&place, operations);
        }
    }
    let any_watch_path = found.values().any(|found| found.watch_path);
    let kinds: Vec<Kind> = found
        .into_iter()
        .filter(|(_, found)| found.listable)
        .map(|((group, version, plural), found)| {
            found.describe(group, version, plural, any_watch_path)
        })
        .collect();
    if kinds.is_empty() {
        Err(OpenApiError::NoKinds { paths: paths.len() })
    } else {
        Ok(kinds)
    }
}

/// A path template, taken apart.
struct Place<'a> {
    group: &'a str,
    version: &'a str,
    plural: &'a str,
    namespaced: bool,
    watch: bool,
    rest: Vec<&'a str>,
}

impl<'a> Place<'a> {
    fn parse(path: &'a str) -> Option<Self> {
        let mut parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, version) = match parts.as_slice() {
            ["api", version, _, ..] => ("", *version),
            ["apis", group, version, _, ..] => (*group, *version),
            _ => return None,
        };
        parts.drain(..if group.is_empty() { 2 } else { 3 });
        let watch = parts.first() == Some(&"watch");
        if watch {
            parts.remove(0);
        }
        // `/namespaces/{name}` is about a namespace, `/namespaces/{namespace}/pods` about what is inside of one.
        let namespaced = matches!(parts.as_slice(), ["namespaces", "{namespace}", _, ..]);
        if namespaced {
            parts.drain(..2);
        }
        let (&plural, rest) = parts.split_first()?;
        (!plural.starts_with('{')).then(|| Self {
            group,
            version,
            plural,
            namespaced,
            watch,
            rest: rest.to_vec(),
        })
    }
}

impl Found {
    fn add(&mut self, place: &Place<'_>, operations: &Value) {
        self.namespaced |= place.namespaced;
        self.watch_path |= place.watch;
        self.has_status |= place.rest.get(1) == Some(&"status");
        let get = operations.get("get");
        let text = |name: &str| get.and_then(|get| get.get(name)).and_then(Value::as_str);
        if place.watch || !place.rest.is_empty() || text("x-kubernetes-action") != Some("list") {
            return;
        }
        self.listable = true;
        let kind = get.and_then(|get| get.pointer("/x-kubernetes-group-version-kind/kind"));
        if let Some(kind) = kind.and_then(Value::as_str) {
            kind.clone_into(&mut self.kind);
        }
    }

    fn describe(
        self,
        group: String,
        version: String,
        plural: String,
        any_watch_path: bool,
    ) -> Kind {
        let is_builtin = any_watch_path && (!group.contains('.') || group.ends_with(".k8s.io"));
        let mut kind = Kind::new(group, version, self.kind, plural);
        if !self.namespaced {
            kind = kind.cluster_scoped();
        }
        kind.has_status = self.has_status;
        if is_builtin {
            kind.watchable = self.watch_path;
        } else {
            kind = kind.custom();
        }
        kind
    }
}

/// The documents of a directory with the paths of their group-versions, in the order of these. It is laid out as
/// `api/openapi-spec/v3` of a Kubernetes release, or as `/openapi/v3` names them: `apis/apps/v1.json`.
pub(crate) fn documents_in(directory: &Path) -> Result<Vec<(String, Value)>, OpenApiError> {
    let mut documents = Vec::new();
    for file in files_below(directory)? {
        let Some(path) = file.strip_prefix(directory).ok().and_then(group_version_of) else {
            continue;
        };
        let name = file.display().to_string();
        let text = fs::read(&file).map_err(|source| OpenApiError::Read {
            path: name.clone(),
            source,
        })?;
        let document = serde_json::from_slice(&text)
            .map_err(|source| OpenApiError::Parse { path: name, source })?;
        documents.push((path, document));
    }
    documents.sort_by(|(one, _), (other, _)| one.cmp(other));
    if documents.is_empty() {
        return Err(OpenApiError::NoDocuments {
            path: directory.display().to_string(),
        });
    }
    Ok(documents)
}

fn files_below(directory: &Path) -> Result<Vec<PathBuf>, OpenApiError> {
    let unreadable = |source| OpenApiError::Read {
        path: directory.display().to_string(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// `apis/apps/v1` for `apis__apps__v1_openapi.json` and for `apis/apps/v1.json`; none for what is no group-version.
fn group_version_of(file: &Path) -> Option<String> {
    let name = file.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let path = match name.strip_suffix("_openapi.json") {
        Some(flat) => flat.replace("__", "/"),
        None => name.strip_suffix(".json")?.to_owned(),
    };
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), ["api", _] | ["apis", _, _]).then_some(path)
}
