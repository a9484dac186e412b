//! Random definitions that refer to each other: whatever they are, the code parses and no type contains itself.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use larder_codegen::configure;
use serde_json::{Map, Value, json};
use support::directory::Directory;
use syn::{GenericArgument, Item, PathArguments, Type};

const KIND: &str = "com.example.v1.Knot";

fn reference(random: &mut fastrand::Rng, count: usize) -> Value {
    let at = random.usize(..=count);
    let name = if at == count {
        KIND.to_owned()
    } else {
        format!("com.example.v1.D{at}")
    };
    let reference = json!({"$ref": format!("#/components/schemas/{name}")});
    match random.u8(..4) {
        0 => json!({"allOf": [reference], "default": {}}),
        1 => json!({"allOf": [reference], "nullable": true}),
        _ => reference,
    }
}

fn schema(random: &mut fastrand::Rng, count: usize, depth: usize) -> Value {
    match random.u8(..10) {
        0..4 => reference(random, count),
        4 => json!({"type": "array", "items": reference(random, count)}),
        5 => json!({"type": "object", "additionalProperties": reference(random, count)}),
        6 => json!({"type": "string", "enum": ["a", "b"]}),
        7..9 if depth < 3 => object(random, count, depth + 1),
        _ => json!({"type": "integer"}),
    }
}

fn object(random: &mut fastrand::Rng, count: usize, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for at in 0..random.usize(1..5) {
        let name = format!("p{at}");
        if random.bool() {
            required.push(name.clone());
        }
        properties.insert(name, schema(random, count, depth));
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn document(random: &mut fastrand::Rng) -> Value {
    let count = random.usize(1..10);
    let list = json!({"type": "object", "properties": {"items": {
        "type": "array", "items": {"$ref": format!("#/components/schemas/{KIND}")}}}});
    let mut schemas = Map::new();
    schemas.insert(KIND.to_owned(), object(random, count, 0));
    schemas.insert(format!("{KIND}List"), list);
    for at in 0..count {
        let schema = if random.u8(..4) == 0 {
            schema(random, count, 0)
        } else {
            object(random, count, 0)
        };
        schemas.insert(format!("com.example.v1.D{at}"), schema);
    }
    let operation = json!({
        "x-kubernetes-group-version-kind": {"group": "example.com", "version": "v1", "kind": "Knot"},
        "responses": {"200": {"content": {"application/json": {"schema": {
            "$ref": format!("#/components/schemas/{KIND}List")}}}}},
    });
    json!({"openapi": "3.0.0", "components": {"schemas": schemas}, "paths": {
        "/apis/example.com/v1/knots": {"get": operation}, "/apis/example.com/v1/watch/knots": {"get": {}}}})
}

/// The types that each struct, enum or alias has in itself, by full paths.
#[derive(Default)]
struct Contents(BTreeMap<Vec<String>, BTreeSet<Vec<String>>>);

impl Contents {
    fn add(&mut self, items: &[Item], module: &[String]) {
        for item in items {
            match item {
                Item::Mod(inner) => {
                    let mut path = module.to_vec();
                    path.push(inner.ident.to_string());
                    let items = inner.content.as_ref().map(|(_, items)| items.as_slice());
                    self.add(items.unwrap_or_default(), &path);
                }
                Item::Struct(of) if of.generics.params.is_empty() => {
                    let fields = of.fields.iter().map(|field| &field.ty);
                    self.insert(&of.ident.to_string(), fields, module);
                }
                Item::Type(of) => {
                    self.insert(&of.ident.to_string(), std::iter::once(&*of.ty), module);
                }
                Item::Enum(of) => {
                    self.insert(&of.ident.to_string(), std::iter::empty(), module);
                }
                _ => {}
            }
        }
    }

    fn insert<'a>(&mut self, name: &str, types: impl Iterator<Item = &'a Type>, module: &[String]) {
        let mut path = module.to_vec();
        path.push(name.to_owned());
        let within = self.0.entry(path).or_default();
        for of_type in types {
            contained(of_type, module, within);
        }
    }

    fn leads_back(&self, from: &Vec<String>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Vec<String>> = self.0[from].iter().collect();
        while let Some(next) = open.pop() {
            if next == from {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.0.get(next).into_iter().flatten());
            }
        }
        false
    }
}

/// What a value of the type holds in its own memory.
fn contained(of_type: &Type, module: &[String], within: &mut BTreeSet<Vec<String>>) {
    let Type::Path(path) = of_type else {
        return;
    };
    let segments = &path.path.segments;
    let last = segments.last().unwrap();
    if path.path.leading_colon.is_some() {
        if last.ident == "Option"
            && let PathArguments::AngleBracketed(arguments) = &last.arguments
        {
            for argument in &arguments.args {
                if let GenericArgument::Type(inner) = argument {
                    contained(inner, module, within);
                }
            }
        }
        return;
    }
    // A primitive type.
    let is_upper = last
        .ident
        .to_string()
        .starts_with(|c: char| c.is_ascii_uppercase());
    if !is_upper {
        return;
    }
    let mut full = module.to_vec();
    for segment in segments {
        if segment.ident == "super" {
            full.pop();
        } else {
            full.push(segment.ident.to_string());
        }
    }
    within.insert(full);
}

#[test]
fn no_type_contains_itself() {
    let seed = std::env::var("LARDER_SEED")
        .ok()
        .and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    eprintln!("LARDER_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let directory = Directory::new("circles");
    let mut circles = 0;
    for _ in 0..25 {
        let document = document(&mut random).to_string();
        let file = directory.write("document.json", &document);
        let config = configure().openapi(file).out_dir(&directory.0);
        let generated = config.cargo_instructions(false).generate();
        let generated = generated.unwrap_or_else(|errors| panic!("{errors}\n{document}"));
        let code = std::fs::read_to_string(&generated.file).unwrap();
        let dense: String = code.split_whitespace().collect();
        assert!(
            !dense.contains("Option<::core::option::Option"),
            "{document}"
        );
        let parsed = syn::parse_file(&code).unwrap();
        let mut contents = Contents::default();
        contents.add(&parsed.items, &[]);
        assert!(
            contents
                .0
                .contains_key(["example_com", "v1", "Knot"].map(str::to_owned).as_slice())
        );
        for (path, within) in &contents.0 {
            for part in within {
                let is_there = contents.0.contains_key(part);
                assert!(
                    is_there,
                    "{path:?} has {part:?}, which is not there\n{document}"
                );
            }
            assert!(!contents.leads_back(path), "{path:?}\n{document}");
        }
        circles += usize::from(code.contains("::std::boxed::Box<"));
    }
    assert!(circles > 2, "{circles} documents had any");
}
