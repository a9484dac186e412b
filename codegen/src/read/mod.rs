//! Documents in, a [`Model`] out.
//!
//! `layout` finds the files, `openapi` reads one of them (v2 or v3) with `paths` for the kinds, `schema` for the
//! types and `definition` for what types are made of that k8s-openapi does not have; `normal` reads the normalised document,
//! `discovery` what a server says of its kinds. All errors of all files are collected. A model comes out only if
//! there was none.

mod definition;
mod discovery;
mod layout;
mod normal;
mod openapi;
mod paths;
mod schema;

use std::path::Path;

pub use layout::read_parts;

use crate::error::{Diagnostics, Error, Errors, Problem};
use crate::json::{self, Node};
use crate::model::Model;

/// Reads a document, whichever of the known ones it is.
///
/// | `path` is | read as |
/// |---|---|
/// | a file with `"swagger"` | OpenAPI v2, as `/openapi/v2` serves it |
/// | a file with `"openapi"` | OpenAPI v3 of one group-version |
/// | a file with `"larder"` | a [normalised document](crate::normalised) |
/// | a directory with `index.json` | OpenAPI v3 as `/openapi/v3` serves it: `index.json` as served, and one file a group-version, `apis/apps/v1.json` for the path `apis/apps/v1` |
/// | another directory | OpenAPI v3 as a Kubernetes release has it in `api/openapi-spec/v3`: `apis__apps__v1_openapi.json` |
///
/// OpenAPI does not say whether a kind of an aggregated API can be watched. A directory may have a file `discovery.json` beside, which
/// does: an `APIGroupDiscoveryList`, an `APIResourceList`, or an array of these. `larder openapi pull` asks for it.
///
/// # Errors
///
/// All that is wrong in all files: unreadable files, no JSON, wrong types, references to nothing.
pub fn read(path: impl AsRef<Path>) -> Result<Model, Errors> {
    let path = path.as_ref();
    if path.is_dir() {
        return layout::read_directory(path);
    }
    read_bytes(path, &read_file(path)?)
}

/// Reads a document of one file from its bytes; `file` names it in errors.
///
/// # Errors
///
/// As [`read`].
pub fn read_bytes(file: &Path, bytes: &[u8]) -> Result<Model, Errors> {
    let value = json::parse(file, bytes).map_err(|error| {
        if is_definition(bytes) {
            Error::at_file(file, Problem::NotADocument(DEFINITIONS)).into()
        } else {
            error
        }
    })?;
    let root = Node::root(file, &value);
    let mut diagnostics = Diagnostics::default();
    let model = if root.get("larder").is_some() {
        normal::read(&root, &mut diagnostics)
    } else if root.get("swagger").is_some() {
        openapi::read(&root, openapi::Flavour::V2, &mut diagnostics)
    } else if root.get("openapi").is_some() {
        openapi::read(&root, openapi::Flavour::V3, &mut diagnostics)
    } else {
        let what = if root.get("paths").is_some() {
            "this looks like the index of a directory; give the directory"
        } else if is_definition(bytes) {
            DEFINITIONS
        } else {
            "it has none of the members `larder`, `swagger` and `openapi`"
        };
        return Err(root.error(Problem::NotADocument(what)).into());
    };
    diagnostics.finish(model)
}

const DEFINITIONS: &str = "definitions of custom resources are given to `crds`";

/// Whether a file that is no document is one of definitions, in whatever form: they are taken for documents easily.
fn is_definition(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"CustomResourceDefinition";
    bytes.windows(NAME.len()).any(|window| window == NAME)
}

fn read_file(path: &Path) -> Result<Vec<u8>, Errors> {
    let read = |source| Problem::Io {
        action: "read",
        source,
    };
    std::fs::read(path).map_err(|source| Error::at_file(path, read(source)).into())
}
