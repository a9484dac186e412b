//! The carried documents against the releases they are made of, and what is known of those.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use larder_codegen::{Model, Origin, Schema, Verb, normalised};
use larder_naming::{BUILT_IN_GROUPS, BuiltInGroup, group_module, k8s_openapi_path};
use support::{carried, carried_folder, model, release, releases};

/// What v2 cannot say and v3 can. A row that no longer makes a difference fails the test.
const V2_DIFFERS: &[V2Difference] = &[V2Difference {
    definition: "io.k8s.apimachinery.pkg.api.resource.Quantity",
    why: "v2 has no unions: a string there, a string or a number in v3",
}];

struct V2Difference {
    definition: &'static str,
    why: &'static str,
}

#[test]
fn v2_and_v3_of_a_release_give_the_same_model() {
    for version in releases() {
        let Some(directory) = release(&version) else {
            continue;
        };
        let mut v2 = model(&directory.join("swagger.json"));
        let mut v3 = model(&directory.join("v3"));
        assert_eq!(v3.notes, Vec::<String>::new(), "{version}");
        for row in V2_DIFFERS {
            let pair = (
                v2.types.remove(row.definition),
                v3.types.remove(row.definition),
            );
            assert!(
                pair.0.is_some() && pair.0 != pair.1,
                "{version}: {} no longer differs ({})",
                row.definition,
                row.why
            );
        }
        assert_eq!(differences(&v2, &v3), Vec::<String>::new(), "{version}");
        assert_eq!(v2, v3, "{version}");
    }
}

fn differences(a: &Model, b: &Model) -> Vec<String> {
    let (a, b) = (normalised(a), normalised(b));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    lines(&a)
        .symmetric_difference(&lines(&b))
        .cloned()
        .collect()
}

#[test]
fn carried_documents_are_fresh() {
    for version in releases() {
        let Some(directory) = release(&version) else {
            continue;
        };
        let minor: u32 = version.split('.').nth(1).unwrap().parse().unwrap();
        let file = carried_folder().join(format!("v1_{minor}.json"));
        let there = std::fs::read_to_string(&file).unwrap();
        assert!(
            normalised(&model(&directory.join("v3"))) == there,
            "{} is stale: run generated/refresh.sh",
            file.display()
        );
    }
}

#[test]
fn carried_documents_read_back_to_themselves() {
    let minors: Vec<u32> = carried().iter().map(|(minor, _)| *minor).collect();
    let from_releases: Vec<u32> = releases()
        .iter()
        .map(|release| release.split('.').nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(minors, from_releases);
    for (_, file) in carried() {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            normalised(&model(&file)) == text,
            "{} changed when read and written",
            file.display()
        );
    }
}

#[test]
fn all_listable_kinds_but_component_status_can_be_watched() {
    for (minor, file) in carried() {
        let model = model(&file);
        let can = |verb| {
            let kinds = model.kinds.values();
            kinds.filter(|kind| kind.verbs.contains(&verb)).count()
        };
        let only_listed: Vec<&str> = model
            .kinds
            .values()
            .filter(|kind| kind.verbs.contains(&Verb::List) && !kind.is_cacheable())
            .map(|kind| kind.id.kind.as_str())
            .collect();
        assert_eq!(only_listed, ["ComponentStatus"], "1.{minor}");
        if minor == 37 {
            assert_eq!((can(Verb::List), can(Verb::Watch)), (93, 92));
            assert_eq!(in_several_group_versions(&model), 15);
        }
    }
}

fn in_several_group_versions(model: &Model) -> usize {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in model.kinds.values() {
        if kind.verbs.contains(&Verb::List) {
            *times.entry(&kind.id.kind).or_default() += 1;
        }
    }
    times.values().filter(|count| **count > 1).count()
}

#[test]
fn groups_of_the_table_are_those_of_the_documents() {
    let mut unused: BTreeSet<&str> = BUILT_IN_GROUPS.iter().map(|row| row.group).collect();
    for (minor, file) in carried() {
        for kind in model(&file).kinds.values() {
            unused.remove(kind.id.group.as_str());
            let row = BuiltInGroup::find(&kind.id.group);
            let row =
                row.unwrap_or_else(|| panic!("1.{minor}: no row for the group of {}", kind.id));
            let definition = kind.type_name.as_deref().expect("every kind has its type");
            assert!(row.defines(definition), "1.{minor}: {definition}");
            assert_eq!(kind.origin, Origin::Kubernetes, "1.{minor}: {}", kind.id);
            let module = format!("{}::{}::", group_module(&kind.id.group), kind.id.version);
            let path = k8s_openapi_path(definition).expect("a type of Kubernetes");
            assert!(
                path.contains(&module),
                "1.{minor}: {path} is not in {module}"
            );
        }
    }
    assert!(unused.is_empty(), "stale rows: {unused:?}");
}

/// What indexes, selectors and the metadata of every object rely on.
#[test]
fn every_kind_that_can_be_cached_has_object_metadata() {
    let metadata = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    for (minor, file) in carried() {
        let model = model(&file);
        for kind in model.kinds.values().filter(|kind| kind.is_cacheable()) {
            let schema = &model.types[kind.type_name.as_deref().unwrap()];
            let field = schema.field("metadata").expect("metadata");
            let expected = Schema::Reference(metadata.to_owned());
            assert_eq!(field.schema, expected, "1.{minor}: {}", kind.id);
        }
    }
}
