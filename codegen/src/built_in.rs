//! Which definitions k8s-openapi has types for, in which version of Kubernetes.
//!
//! `built_in.txt` says so, one definition a line with the first and the last minor version that has it; a test makes it of k8s-openapi's
//! sources. So a document of a cluster that is older or newer than what k8s-openapi is built for gives code that compiles.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use larder_naming::k8s_openapi_path;

use crate::model::{Kind, Model};

const TABLE: &str = include_str!("built_in.txt");

static BUILT_IN: LazyLock<BTreeMap<&str, (u8, u8)>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, first, last) = (words.next()?, words.next()?, words.next()?);
        Some((name, (first.parse().ok()?, last.parse().ok()?)))
    });
    rows.collect()
});

/// The types that there are.
#[derive(Debug, Default)]
pub(crate) struct BuiltIn {
    /// What k8s-openapi has in the version that is enabled, where the user gave a document of it.
    pub(crate) document: Option<Model>,
    /// The minor version that is enabled in k8s-openapi, where it is known.
    pub(crate) minor: Option<u8>,
}

impl BuiltIn {
    /// Where k8s-openapi has the type of a definition, below its root.
    pub(crate) fn path(&self, definition: &str) -> Option<String> {
        let (first, last) = BUILT_IN.get(definition)?;
        let is_there = match (&self.document, self.minor) {
            (Some(document), _) => document.types.contains_key(definition),
            (None, Some(minor)) => (*first..=*last).contains(&minor),
            (None, None) => true,
        };
        is_there.then(|| k8s_openapi_path(definition)).flatten()
    }

    /// As [`path`](Self::path), of a kind's objects.
    pub(crate) fn path_of(&self, kind: &Kind) -> Option<String> {
        let definition = kind.type_name.as_deref()?;
        let Some(document) = &self.document else {
            return self.path(definition);
        };
        let known = document.kinds.get(&kind.id)?;
        let is_same = known.type_name.as_deref() == Some(definition);
        is_same.then(|| k8s_openapi_path(definition)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::support::{carried, k8s_openapi_sources};

    /// The definitions of a folder's types that can stand as a field: decoded, compared, and without a parameter.
    fn definitions(folder: &Path, minor: u8, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                definitions(&path, minor, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let after = |line: &'_ str| {
                let name = line.strip_prefix("// Generated from definition ")?;
                Some(name.trim().to_owned())
            };
            let Some(definition) = text.lines().find_map(after) else {
                continue;
            };
            let name = definition.rsplit('.').next().unwrap();
            let is_type = text.lines().any(|line| {
                let rest = line
                    .strip_prefix("pub struct ")
                    .or_else(|| line.strip_prefix("pub enum "));
                let rest = rest.and_then(|rest| rest.strip_prefix(name));
                rest.is_some_and(|rest| !rest.starts_with('<'))
            });
            let decodes = format!("Deserialize<'de> for {name} {{");
            if is_type && text.contains(&decodes) && text.contains("PartialEq") {
                found.entry(definition).or_default().push(minor);
            }
        }
    }

    #[test]
    fn the_table_is_that_of_k8s_openapi() {
        let mut found = BTreeMap::new();
        for (minor, _) in carried() {
            let folder = k8s_openapi_sources().join(format!("v1_{minor}"));
            definitions(&folder, minor.try_into().unwrap(), &mut found);
        }
        let mut text = String::new();
        for (name, minors) in found {
            let (first, last) = (minors[0], minors[minors.len() - 1]);
            assert_eq!(
                minors.len(),
                usize::from(last - first) + 1,
                "{name} has a gap"
            );
            text.push_str(&format!("{name} {first} {last}\n"));
        }
        if std::env::var_os("LARDER_BLESS").is_some() {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/built_in.txt");
            std::fs::write(file, &text).unwrap();
        } else {
            assert!(text == TABLE, "built_in.txt is stale: LARDER_BLESS=1");
        }
    }

    #[test]
    fn versions_and_documents_narrow_what_there_is() {
        let mut types = BuiltIn::default();
        let template = "io.k8s.api.core.v1.PodTemplateSpec";
        for (definition, is_there) in [
            (template, true),
            ("io.k8s.api.core.v1.PodList", false),
            ("io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent", false),
            ("io.k8s.api.core.v1.Pad", false),
            ("com.example.v1.Widget", false),
        ] {
            assert_eq!(types.path(definition).is_some(), is_there, "{definition}");
        }
        let patch = "io.k8s.api.admissionregistration.v1.JSONPatch";
        for (minor, is_there) in [(35, false), (36, true), (37, true), (99, false)] {
            types.minor = Some(minor);
            assert_eq!(types.path(patch).is_some(), is_there, "1.{minor}");
        }
        types.document = Some(Model::default());
        assert_eq!(types.path(template), None);
    }
}
