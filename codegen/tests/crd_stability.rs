//! What stays as it is when other things change: names, bytes, and the time of a file.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use larder_codegen::Generated;
use support::directory::Directory;
use support::generating::{config, generate};

fn fixture(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/crds")
        .join(name);
    fs::read_to_string(file).unwrap()
}

fn types(generated: &Generated, kind: &str) -> BTreeSet<String> {
    let mut kinds = generated.kinds.iter();
    let found = kinds.find(|there| there.id.to_string() == kind).unwrap();
    found.types.iter().cloned().collect()
}

#[test]
fn the_order_of_files_and_documents_makes_no_difference() {
    let (older, newer) = (fixture("lamps.yaml"), fixture("lamps_next.yml"));
    let mut all = BTreeSet::new();
    for (at, files) in [
        [("a.yaml", &older), ("b.yaml", &newer)],
        [("b.yaml", &older), ("a.yaml", &newer)],
    ]
    .into_iter()
    .enumerate()
    {
        let directory = Directory::new(&format!("order-{at}"));
        for (name, text) in files {
            directory.write(&format!("crds/{name}"), text);
        }
        let (generated, _) =
            generate(config(&directory).crds(directory.path("crds").display().to_string()));
        assert_eq!(generated.kinds.len(), 3);
        all.insert(fs::read_to_string(generated.file).unwrap());
    }
    let directory = Directory::new("order-one");
    for text in [
        format!("{older}\n---\n{newer}"),
        format!("{newer}\n---\n{older}"),
    ] {
        let file = directory.write("one.yaml", &text);
        let (generated, _) = generate(config(&directory).crds(file.display().to_string()));
        all.insert(fs::read_to_string(generated.file).unwrap());
    }
    assert_eq!(all.len(), 1);
}

/// Kinds, versions, properties and equal types beside: what was there before is called as before.
#[test]
fn other_input_never_renames_a_type() {
    const LAMP: &str = "shop.example.com/v1/Lamp";
    let directory = Directory::new("renames");
    let file = directory.write("crds/lamps.yaml", &fixture("lamps.yaml"));
    let crds = directory.path("crds").display().to_string();
    let before = types(&generate(config(&directory).crds(&crds)).0, LAMP);
    let expected = [
        "Lamp",
        "lamp::Spec",
        "lamp::Status",
        "lamp::spec::Bulbs",
        "lamp::spec::Mode",
        "lamp::spec::bulbs::Socket",
        "lamp::status::Phase",
    ];
    assert_eq!(
        before.iter().map(String::as_str).collect::<Vec<_>>(),
        expected
    );

    directory.write("crds/quirks.yaml", &fixture("quirks.yaml"));
    directory.write("crds/lamps_next.yml", &fixture("lamps_next.yml"));
    let (beside, _) = generate(config(&directory).crds(&crds));
    assert_eq!(types(&beside, LAMP), before);

    // Equal to what is there, in front of it and on a shorter path; and as a neighbour of nearly the same name.
    fs::remove_file(directory.path("crds/lamps_next.yml")).unwrap();
    let bulbs = "bulbs: {type: array, items: {type: object, properties: {socket: {type: string, enum: [E14, E27, GU10]}, \
                 lumen: {type: integer, format: int32}}}}";
    let text = fixture("lamps.yaml").replace(
        "            status:",
        &format!("            bulb: {{type: object, properties: {{{bulbs}, socket: {{type: string}}}}}}\n            status:"),
    );
    let text = text.replace(
        "                watts: {type: integer}",
        &format!("                all{bulbs}\n                watts: {{type: integer}}"),
    );
    fs::write(file, text).unwrap();
    let after = types(&generate(config(&directory).crds(&crds)).0, LAMP);
    let gone: Vec<_> = before.difference(&after).collect();
    assert!(gone.is_empty(), "{gone:?}");
    assert_eq!(after.len(), before.len() + 5, "{after:?}");
}

/// Names of fields do not depend on others either, but for the one that collides: of two neither keeps the plain name.
#[test]
fn a_property_that_collides_takes_the_name_from_both() {
    let directory = Directory::new("collides");
    let file = directory.write("lamps.yaml", &fixture("lamps.yaml"));
    let code = |text: &str| {
        fs::write(&file, text).unwrap();
        let (generated, _) = generate(config(&directory).crds(file.display().to_string()));
        fs::read_to_string(generated.file).unwrap()
    };
    let text = fixture("lamps.yaml").replace(
        "room: {",
        "roomName: {type: string}\n                room: {",
    );
    let before = code(&text);
    assert!(before.contains("pub room_name: ") && before.contains("pub room: "));
    let after = code(&text.replace(
        "roomName: {",
        "room_name: {type: string}\n                roomName: {",
    ));
    assert!(
        after.contains("pub room_upper_name: ") && after.contains("pub room_underscore_name: ")
    );
    assert!(!after.contains("pub room_name: ") && after.contains("pub room: "));
}

#[test]
fn a_file_keeps_its_time_until_the_definitions_change() {
    let directory = Directory::new("time");
    directory.write("crds/lamps.yaml", &fixture("lamps.yaml"));
    let crds = directory.path("crds").display().to_string();
    let (first, _) = generate(config(&directory).crds(&crds));
    assert!(first.changed);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for file in [&first.file, &first.left_out_file] {
        let file = fs::File::options().write(true).open(file).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    let modified = |file: &Path| fs::metadata(file).unwrap().modified().unwrap();

    // A comment, another order of keys, and a document that is none.
    let text = format!(
        "# Another comment.\n{}---\nkind: Secret\n",
        fixture("lamps.yaml")
    );
    directory.write(
        "crds/lamps.yaml",
        &text.replace("kind: Lamp, plural: lamps", "plural: lamps, kind: Lamp"),
    );
    let (again, _) = generate(config(&directory).crds(&crds));
    assert_eq!((again.changed, again.other_documents), (false, 1));
    assert_eq!(
        (modified(&first.file), modified(&first.left_out_file)),
        (long_ago, long_ago)
    );

    // A file more in the folder.
    directory.write("crds/next.yml", &fixture("lamps_next.yml"));
    let (more, _) = generate(config(&directory).crds(&crds));
    assert_eq!(
        (more.changed, more.kinds.len()),
        (true, first.kinds.len() + 1)
    );
    assert!(modified(&more.file) > long_ago);
}

#[test]
fn lists_of_lists_and_of_definitions_are_taken_apart_and_others_counted() {
    let directory = Directory::new("lists");
    let indented = |text: &str, by: &str| {
        text.lines()
            .map(|line| format!("{by}{line}\n"))
            .collect::<String>()
    };
    let list = |api_version: &str, kind: &str, item: &str| {
        format!(
            "apiVersion: {api_version}\nkind: {kind}\nitems:\n-\n{}",
            indented(item, "  ")
        )
    };
    let definitions = list(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinitionList",
        &fixture("lamps.yaml"),
    );
    let secret = "apiVersion: v1\nkind: Secret\n";
    let text = format!(
        "{}-\n{}---\n{secret}---\njust: text\n",
        list("v1", "List", &definitions),
        indented(secret, "  ")
    );
    let file = directory.write("lists.yaml", &text);
    let (generated, _) = generate(config(&directory).crds(file.display().to_string()));
    assert_eq!((generated.kinds.len(), generated.other_documents), (2, 3));
    let broken = text.replace("{type: integer}", "{type: intger}");
    let file = directory.write("lists.yaml", &broken);
    let errors = config(&directory)
        .crds(file.display().to_string())
        .generate();
    let errors = errors.expect_err("an error");
    let [first, ..] = errors.as_slice() else {
        panic!("{errors}")
    };
    assert_eq!(
        first.place.within(),
        "document 1, item 1, item 1, lamps.shop.example.com, v1"
    );
}
