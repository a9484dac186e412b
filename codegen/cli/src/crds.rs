//! `larder crds pull`.

use anyhow::{Context as _, bail};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::args::{CrdsPull, Output};
use crate::text::{did_you_mean, plural, print};
use crate::{Outcome, cluster, file};

#[derive(Serialize)]
struct Pulled {
    folder: String,
    files: Vec<PulledFile>,
}

#[derive(Serialize)]
struct PulledFile {
    name: String,
    changed: bool,
}

pub(crate) fn run(args: &CrdsPull, output: Output) -> anyhow::Result<Outcome> {
    let mut found = cluster::crds(&args.connection)?;
    let group = |crd: &Value| text(crd, "/spec/group").to_owned();
    for wanted in &args.groups {
        if !found.iter().any(|crd| group(crd) == *wanted) {
            let known: Vec<String> = found.iter().map(group).collect();
            bail!(
                "the cluster has no custom resource of the group {wanted:?}{}",
                did_you_mean(wanted, known.iter().map(String::as_str))
            );
        }
    }
    found.retain(|crd| args.groups.is_empty() || args.groups.contains(&group(crd)));
    // All are made before the first takes its place.
    let mut files = Vec::new();
    for crd in &found {
        let name = file_name(crd)?;
        let yaml = serde_saphyr::to_string(&declared(crd))
            .with_context(|| format!("cannot write {name} as YAML"))?;
        files.push((file::prepare(&args.dir.join(&name), yaml.as_bytes())?, name));
    }
    let mut pulled = Pulled {
        folder: args.dir.display().to_string(),
        files: Vec::new(),
    };
    for (prepared, name) in files {
        let changed = prepared.is_some();
        prepared.map(file::Prepared::commit).transpose()?;
        pulled.files.push(PulledFile { name, changed });
    }
    for name in others(args, &pulled) {
        let file = args.dir.join(name);
        eprintln!(
            "note: {} is of no definition that the cluster has",
            file.display()
        );
    }
    print(&pulled, output, |pulled| {
        let changed = pulled.files.iter().filter(|file| file.changed).count();
        let all = plural(pulled.files.len(), "definition");
        format!("{}: {all}, {changed} written", pulled.folder)
    })?;
    Ok(Outcome::Fine)
}

/// Files in the folder that look like pulled ones, of the groups that are asked for, and are not: their definitions are gone.
fn others(args: &CrdsPull, pulled: &Pulled) -> Vec<String> {
    let entries = std::fs::read_dir(&args.dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut others: Vec<String> = names
        .filter(|name| {
            let definition = name.strip_suffix(".yaml").unwrap_or_default();
            let is_of_group = definition.split_once('.').is_some_and(|(_, group)| {
                args.groups.is_empty() || args.groups.iter().any(|wanted| wanted == group)
            });
            is_of_group && !pulled.files.iter().any(|file| file.name == *name)
        })
        .collect();
    others.sort();
    others
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// A definition's name is its plural and group: part of a path only if it is what the API demands.
fn file_name(crd: &Value) -> anyhow::Result<String> {
    let name = text(crd, "/metadata/name");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if name.is_empty() || name.starts_with('.') || !name.chars().all(fits) {
        bail!("the server sent a definition of the name {name:?}, which none can have");
    }
    Ok(format!("{name}.yaml"))
}

/// What its author wrote: without what the server and other programs added, so that it differs only when the definition does.
fn declared(crd: &Value) -> Value {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), text(crd, "/metadata/name").into());
    for key in ["labels", "annotations"] {
        let Some(Value::Object(pairs)) = crd.pointer(&format!("/metadata/{key}")) else {
            continue;
        };
        let mut kept = pairs.clone();
        kept.remove("kubectl.kubernetes.io/last-applied-configuration");
        if !kept.is_empty() {
            metadata.insert(key.to_owned(), kept.into());
        }
    }
    let mut spec = crd.get("spec").cloned().unwrap_or(Value::Null);
    // A webhook's certificate is rotated, and says nothing of the types.
    if let Some(conversion) = spec.pointer_mut("/conversion/webhook/clientConfig")
        && let Some(conversion) = conversion.as_object_mut()
    {
        conversion.remove("caBundle");
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_author_wrote_is_kept() {
        let crd = json!({
            "metadata": {
                "name": "gauges.example.com", "uid": "u", "resourceVersion": "7", "managedFields": [],
                "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "yes"},
            },
            "spec": {
                "group": "example.com",
                "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": "x", "url": "u"}}},
            },
            "status": {"conditions": []},
        });
        assert_eq!(
            declared(&crd),
            json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": "gauges.example.com", "annotations": {"a": "yes"}},
                "spec": {
                    "group": "example.com",
                    "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "u"}}},
                },
            })
        );
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        for name in ["", "../x", ".hidden", "a/b"] {
            let crd = json!({"metadata": {"name": name}});
            assert!(file_name(&crd).is_err(), "{name:?}");
        }
        let crd = json!({"metadata": {"name": "gauges.example.com"}});
        assert_eq!(file_name(&crd).unwrap(), "gauges.example.com.yaml");
    }

    /// Texts that YAML could take for something else, and long ones, come back as they were.
    #[test]
    fn yaml_says_what_json_said() {
        let odd = json!({
            "texts": ["yes", "no", "on", "~", "null", "1e3", "0x10", "010", "1_000", ".inf", "2001-01-01", "", " a ", "a: b", "# a",
                "- a", "a\nb\n", "a\n\n  b", "\t", "é\u{7f}", "'\"", "{}", "[a]", "&a", "*a", "!a", "%a", "@a", "`a`", "a\\n", "|", ">",
                "x".repeat(300), "word ".repeat(60), "<<", "=", "true", "12:30:45", "\u{85}", "\u{feff}a"],
            "numbers": [0, -1, 1.5, 1e100, i64::MAX, u64::MAX],
            "others": [null, true, {}, [], {"yes": 1, "a b": 2, "": 3}],
        });
        let yaml = serde_saphyr::to_string(&odd).unwrap();
        let back: Value = serde_saphyr::from_str(&yaml).unwrap();
        assert_eq!(back, odd, "{yaml}");
    }
}
