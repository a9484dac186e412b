//! Files to documents: YAML with several of them, JSON, lists.

use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

use super::definition;
use crate::error::{Diagnostics, Error, Place, Problem};
use crate::json::Node;
use crate::suggest::nearest;

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "CustomResourceDefinition";

/// A definition as it stands in a file.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) file: Rc<Path>,
    /// Which part of the file, as `document 2, item 5`; empty where the file has one.
    pub(super) part: String,
    pub(super) value: Value,
}

impl Document {
    /// The root of the document, of which errors say the definition's name, too.
    pub(super) fn root(&self, name: &str) -> Node<'_> {
        let root = Node::root(&self.file, &self.value);
        match (self.part.as_str(), name) {
            ("", "") => root,
            (part, "") => root.within(part),
            ("", name) => root.within(name),
            (part, name) => root.within(&format!("{part}, {name}")),
        }
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) definitions: Vec<Document>,
    pub(super) others: usize,
}

impl Documents {
    /// Adds a file's documents; answers whether all of it could be read.
    pub(super) fn add(&mut self, file: &Path, diagnostics: &mut Diagnostics) -> bool {
        let values = match parse(file) {
            Ok(values) => values,
            Err(problem) => {
                diagnostics.push(Error::at_file(file, problem));
                return false;
            }
        };
        let file: Rc<Path> = file.into();
        let several = values.len() > 1;
        let errors = diagnostics.len();
        for (at, value) in values.into_iter().enumerate() {
            let part = if several {
                format!("document {}", at + 1)
            } else {
                String::new()
            };
            let file = Rc::clone(&file);
            self.sort(Document { file, part, value }, diagnostics);
        }
        diagnostics.len() == errors
    }

    /// Puts a document where it belongs; the items of a list each by itself.
    fn sort(&mut self, mut document: Document, diagnostics: &mut Diagnostics) {
        let text = |key| document.value.get(key).and_then(Value::as_str);
        let (api_version, kind) = (
            text("apiVersion").unwrap_or_default(),
            text("kind").unwrap_or_default(),
        );
        let version = api_version
            .strip_prefix(GROUP)
            .and_then(|rest| rest.strip_prefix('/'));
        if is_list(api_version, version, kind) {
            if let Some(Value::Array(items)) = document.value.get_mut("items").map(Value::take) {
                for (at, value) in items.into_iter().enumerate() {
                    let item = format!("item {}", at + 1);
                    let part = match document.part.as_str() {
                        "" => item,
                        part => format!("{part}, {item}"),
                    };
                    let file = Rc::clone(&document.file);
                    self.sort(Document { file, part, value }, diagnostics);
                }
            }
            return;
        }
        match (version, kind) {
            (Some("v1"), KIND) => self.definitions.push(document),
            (Some(_), KIND) => {
                let place = place(&document, "apiVersion");
                let api_version = api_version.to_owned();
                diagnostics.push(Error::new(place, Problem::OldDefinition { api_version }));
            }
            // Of this group nobody keeps files of other kinds.
            (Some(_), kind) if nearest(kind, [KIND]).is_some() => {
                let place = place(&document, "kind");
                diagnostics.push(Error::new(
                    place,
                    Problem::Unknown {
                        what: "kind of apiextensions.k8s.io",
                        word: kind.to_owned(),
                        suggestion: Some(KIND.to_owned()),
                    },
                ));
            }
            _ => self.others += 1,
        }
    }
}

fn is_list(api_version: &str, version: Option<&str>, kind: &str) -> bool {
    (api_version == "v1" && kind == "List")
        || (version.is_some() && kind == "CustomResourceDefinitionList")
}

fn place(document: &Document, path: &str) -> Place {
    let name = definition::name_of(&document.value).unwrap_or_default();
    let root = document.root(name);
    Place::inside(&document.file, root.place().within(), path.to_owned())
}

/// The documents of a file, without empty ones.
fn parse(file: &Path) -> Result<Vec<Value>, Problem> {
    let text = std::fs::read_to_string(file).map_err(|source| Problem::Io {
        action: "read",
        source,
    })?;
    if file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"))
    {
        // One behind the other, as kubectl reads them; with the mark that some editors put in front.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let values = serde_json::Deserializer::from_str(text).into_iter();
        return values.collect::<Result<_, _>>().map_err(Problem::Json);
    }
    // A bundle of all definitions of a cluster has a few million events. The depth is that of serde_json: no schema comes
    // near it, and what is nested deeper would not fit on the stack.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 128,
            max_events: 50_000_000,
            max_nodes: 50_000_000,
            max_total_scalar_bytes: 512 << 20,
        },
        with_snippet: false,
    };
    serde_saphyr::from_multiple_with_options(&text, options)
        .map_err(|error| Problem::Yaml(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_known_by_version_and_kind() {
        for (api_version, version, kind, expected) in [
            ("v1", None, "List", true),
            ("example.com/v1", None, "List", false),
            (
                "apiextensions.k8s.io/v1",
                Some("v1"),
                "CustomResourceDefinitionList",
                true,
            ),
            ("apiextensions.k8s.io/v1", Some("v1"), KIND, false),
        ] {
            assert_eq!(is_list(api_version, version, kind), expected, "{kind}");
        }
    }
}
