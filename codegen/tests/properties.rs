//! The names that `field!` takes for JSON's are those of the carried documents.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use larder_naming::built_in_properties;
use serde_json::Value;

/// Every key of every `properties`, at any depth.
fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::Object(properties) if key == "properties" => {
                        names.extend(properties.keys().cloned());
                        properties.values().for_each(|value| collect(value, names));
                    }
                    value => collect(value, names),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

#[test]
fn the_table_of_properties_is_that_of_the_carried_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    let mut documents = 0;
    for entry in fs::read_dir(root.join("../generated")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let document: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            collect(&document["types"], &mut names);
            documents += 1;
        }
    }
    assert!(documents >= 5, "{documents} documents");
    if std::env::var_os("LARDER_WRITE").is_some() {
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        fs::write(root.join("naming/src/properties.txt"), text).unwrap();
        return;
    }
    let table: BTreeSet<String> = built_in_properties().map(str::to_owned).collect();
    let differ: Vec<_> = table.symmetric_difference(&names).collect();
    assert!(
        differ.is_empty(),
        "only in the table or only in the documents: {differ:?}; \
         `LARDER_WRITE=1 cargo test -p larder-codegen --test properties` writes the table"
    );
}
