//! Definitions of custom resources: the reviewed output of the fixtures, what is skipped, and every error.
//!
//! The reviewed output is compiled, and its types are used, by the tests of the façade. `LARDER_BLESS=1` writes it anew.

mod support;

use std::path::{Path, PathBuf};

use larder_codegen::{Generated, LeftOutReason};
use support::directory::Directory;
use support::generating::{config, generate};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The errors of one file's text, without the directory in front.
fn errors_of(name: &str, text: &str) -> Vec<String> {
    let directory = Directory::new(&format!("crd-{}", name.replace(['/', '.'], "-")));
    let file = directory.write(name, text);
    let errors = config(&directory)
        .crds(file.display().to_string())
        .generate();
    let errors = errors.expect_err("an error").to_string();
    let prefix = format!("{}/", directory.0.display());
    errors
        .lines()
        .map(|line| line.replace(&prefix, ""))
        .collect()
}

/// A definition with one version of this schema.
fn definition(schema: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: as.example.com}}\n\
         spec:\n  group: example.com\n  scope: Cluster\n  names: {{kind: A, plural: as}}\n  versions:\n  - name: v1\n    \
         served: true\n    schema: {{openAPIV3Schema: {schema}}}\n"
    )
}

/// Generates from a folder beside this file, and compares with the reviewed code.
fn reviewed(folder: &str) -> Generated {
    let directory = Directory::new(&format!("crds-golden-{folder}"));
    let crds = tests().join(folder).display().to_string();
    let (generated, code) = generate(config(&directory).crds(crds));
    support::is_as_reviewed(&format!("{folder}.rs"), &code);
    generated
}

fn warnings(generated: &Generated) -> Vec<String> {
    let folder = format!("{}/", tests().display());
    let lines = generated.warnings.iter().map(ToString::to_string);
    lines.map(|line| line.replace(&folder, "")).collect()
}

#[test]
fn the_fixtures_give_the_reviewed_code() {
    let generated = reviewed("crds");
    let kinds: Vec<String> = generated
        .kinds
        .iter()
        .map(|kind| kind.id.to_string())
        .collect();
    assert_eq!(
        kinds,
        [
            "odd.example.com/v1/Quirk",
            "shop.example.com/v1/Gadget",
            "shop.example.com/v1/Lamp",
            "shop.example.com/v1/Lock",
            "shop.example.com/v1beta1/Gadget",
            "shop.example.com/v1beta1/Lamp",
            "shop.example.com/v2/Lamp",
            "shop.example.com/v2/Lock",
        ]
    );
    let left_out: Vec<(String, LeftOutReason)> = generated
        .left_out
        .iter()
        .map(|kind| (kind.id.to_string(), kind.reason))
        .collect();
    assert_eq!(
        left_out,
        [(
            "shop.example.com/v1alpha1/Gadget".into(),
            LeftOutReason::NotServed
        )]
    );
    assert_eq!(generated.other_documents, 2);
    let of = |at: usize| generated.kinds[at].types.join(" ");
    assert_eq!(
        of(1),
        "Gadget gadget::Spec gadget::spec::Color gadget::spec::Parts gadget::spec::Selector gadget::Status \
         gadget::status::Conditions gadget::status::Delivered"
    );
    assert_eq!(
        warnings(&generated),
        [
            "crds/quirks.yaml: quirks.odd.example.com, v1: spec.versions[0].schema.openAPIV3Schema: the default of \
             spec.impossible cannot be filled in and is passed over: the field is optional"
        ]
    );
}

#[test]
fn names_that_are_something_else_in_rust_are_emitted() {
    let generated = reviewed("names");
    assert_eq!(generated.kinds.len(), 2);
    assert_eq!(warnings(&generated), [""; 0]);
}

#[test]
fn versions_that_are_not_served_can_be_asked_for() {
    let directory = Directory::new("crds-unserved");
    let file = tests().join("crds/gadgets.yaml").display().to_string();
    let (generated, code) = generate(config(&directory).crds(&file).unserved_versions(true));
    assert_eq!((generated.kinds.len(), generated.left_out.len()), (3, 0));
    assert!(code.contains("pub mod v1alpha1"));
    let one = config(&directory)
        .crds(&file)
        .kinds(["shop.example.com/v1/Gadget"]);
    let (generated, code) = generate(one);
    assert_eq!((generated.kinds.len(), generated.left_out.len()), (1, 0));
    assert!(!code.contains("pub mod v1beta1"));
    let errors = config(&directory)
        .crds(&file)
        .kinds([
            "shop.example.com/v1alpha1/Gadget",
            "shop.example.com/v1/Gadgets",
            "gadgets",
        ])
        .generate()
        .expect_err("an error")
        .to_string();
    let expected = "kinds: shop.example.com/v1alpha1/Gadget cannot be cached: its definition says that this version is \
                    not served\nkinds: \"shop.example.com/v1/Gadgets\" is no kind that was read; kinds are written as \
                    `apps/v1/Deployment` and `v1/Pod` (did you mean \"shop.example.com/v1/Gadget\"?)\n\
                    kinds: \"gadgets\" is no kind that was read; kinds are written as `apps/v1/Deployment` and `v1/Pod` \
                    (did you mean \"shop.example.com/v1/Gadget\"?)";
    assert_eq!(errors, expected);
}

#[test]
fn files_patterns_and_directories_are_searched() {
    let directory = Directory::new("crds-files");
    for name in ["a.yaml", "deep/b.yml", "deep/c.json"] {
        let kind = name
            .chars()
            .find(|c| "abc".contains(*c) && *c != 'd')
            .unwrap();
        let kind = if name.starts_with("deep") {
            name.chars().nth(5).unwrap()
        } else {
            kind
        };
        let text = definition("{type: object}")
            .replace("as.example.com", &format!("{kind}s.example.com"))
            .replace("kind: A", &format!("kind: {}", kind.to_ascii_uppercase()))
            .replace("plural: as", &format!("plural: {kind}s"));
        let text = if name.ends_with("json") {
            let value: serde_json::Value = serde_json::json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": "cs.example.com"},
                "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": "C", "plural": "cs"},
                    "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]},
            });
            value.to_string()
        } else {
            text
        };
        directory.write(&format!("crds/{name}"), &text);
    }
    directory.write("crds/notes.txt", "no definition");
    directory.write("crds/.#a.yaml", "{what an editor leaves");
    directory.write("crds/.kept/d.yaml", "{nobody means it");
    for (pattern, expected) in [
        ("crds", "ABC"),
        ("crds/a.yaml", "A"),
        ("crds/*.yaml", "A"),
        ("crds/**/*.y*ml", "AB"),
        ("crds/deep/[bc].*", "BC"),
    ] {
        let pattern = directory.path(pattern).display().to_string();
        let (generated, _) = generate(config(&directory).crds(pattern));
        let kinds: String = generated.kinds.iter().map(|k| k.id.kind.as_str()).collect();
        assert_eq!(kinds, expected);
    }
    let text = config(&directory)
        .crds(directory.path("none/*.yaml").display().to_string())
        .crds("[")
        .crds(directory.path("out").display().to_string())
        .generate()
        .expect_err("an error")
        .to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("none/*.yaml: no YAML or JSON file is there: give a file, a directory, or a pattern such as `crds/*.yaml`"));
    assert!(
        lines[1].starts_with("crds: \"[\" is no pattern of files: "),
        "{text}"
    );
    assert!(
        lines[2].contains("out: no YAML or JSON file is there"),
        "{text}"
    );
    assert_eq!(lines.len(), 3, "{text}");
}

#[test]
fn documents_that_say_different_things_of_one_definition_are_an_error() {
    let one = definition("{type: object}");
    // The same twice is no conflict.
    let directory = Directory::new("crds-twice");
    let twice = directory.write("twice.yaml", &format!("{one}---\n{one}"));
    let (generated, _) = generate(config(&directory).crds(twice.display().to_string()));
    assert_eq!(generated.kinds.len(), 1);

    let other = definition("{type: object, properties: {spec: {type: string}}}")
        .replace("Cluster", "Namespaced");
    assert_eq!(
        errors_of("conflict.yaml", &format!("{one}---\n{other}")),
        [
            "conflict.yaml: document 2, as.example.com: group, names or scope of as.example.com is given otherwise in \
             conflict.yaml: document 1, as.example.com: keep one of the two",
            "conflict.yaml: document 2, as.example.com, v1: spec.versions[0]: version v1 of as.example.com is given \
             otherwise in conflict.yaml: document 1, as.example.com, v1: spec.versions[0]: keep one of the two",
        ]
    );
}

#[test]
fn a_kind_that_two_definitions_describe_is_an_error() {
    let one = definition("{type: object}");
    let other = one
        .replace("as.example.com", "a.example.com")
        .replace("plural: as", "plural: a");
    assert_eq!(
        errors_of("twice.yaml", &format!("{one}---\n{other}")),
        [
            "twice.yaml: document 1, as.example.com, v1: spec.versions[0]: the definition of example.com/v1/A is given \
             otherwise in twice.yaml: document 2, a.example.com, v1: spec.versions[0]: keep one of the two",
        ]
    );
}

#[test]
fn null_is_as_good_as_nothing() {
    let directory = Directory::new("crds-null");
    let schema = "{type: object, required: null, properties: {spec: {type: object, description: null, properties: {a: {type: \
                  array, items: null, format: null, nullable: null, enum: null}, b: {type: object, properties: null, \
                  additionalProperties: null, x-kubernetes-preserve-unknown-fields: null}, c: {$ref: null, type: string, \
                  default: null}}}}}";
    let null = definition(schema)
        .replace("plural: as}", "plural: as, singular: null, listKind: null, shortNames: null, categories: null}")
        .replace(
            "    served: true\n",
            "    served: true\n    selectableFields: null\n    additionalPrinterColumns: null\n    deprecated: null\n    \
             deprecationWarning: null\n    subresources: {status: null, scale: null}\n",
        );
    let nothing = definition(
        "{type: object, properties: {spec: {type: object, properties: {a: {type: array}, b: {type: object}, c: {type: \
         string}}}}}",
    );
    let null = directory.write("null/a.yaml", &null);
    let nothing = directory.write("nothing/a.yaml", &nothing);
    let code = |file: PathBuf| generate(config(&directory).crds(file.display().to_string())).1;
    assert_eq!(code(null), code(nothing));
}

#[test]
fn a_file_has_no_or_several_json_documents_and_a_mark_in_front() {
    let of = |kind: &str, plural: &str| {
        serde_json::json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {"group": "example.com", "scope": "Cluster", "names": {"kind": kind, "plural": plural},
                "versions": [{"name": "v1", "served": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]},
        })
    };
    let directory = Directory::new("crds-json");
    let text = format!("\u{feff}{}\n{}\n", of("A", "as"), of("B", "bs"));
    let file = directory.write("both.json", &text);
    let (generated, _) = generate(config(&directory).crds(file.display().to_string()));
    assert_eq!(generated.kinds.len(), 2);
    for name in ["empty.json", "empty.yaml"] {
        assert_eq!(
            errors_of(name, "\n"),
            [format!(
                "{name}: no CustomResourceDefinition of apiextensions.k8s.io/v1 is there (0 other documents are)"
            )]
        );
    }
}

#[test]
fn what_compiles_nowhere_else_is_no_part_of_names_and_comments() {
    let directory = Directory::new("crds-characters");
    let text = "a\\rb\\u202ec\\u2066d\\0e";
    let schema = format!(
        "{{type: object, description: \"{text}\", properties: {{spec: {{type: object, description: \"{text}\", properties: \
         {{\"\": {{type: string, default: \"{text}\"}}, empty: {{type: string, enum: [\"{text}\"], description: \
         \"{text}\"}}}}}}}}}}"
    );
    let file = directory.write("a.yaml", &definition(&schema));
    let (_, code) = generate(config(&directory).crds(file.display().to_string()));
    let refused = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{2069}').contains(&c);
    assert!(!code.contains(refused), "{code}");
    assert!(
        code.contains("pub _empty: ") && code.contains("pub empty_: "),
        "{code}"
    );
}

#[test]
fn a_default_is_an_integer_however_it_is_written() {
    let directory = Directory::new("crds-integers");
    let schema = "{type: object, properties: {spec: {type: object, properties: {a: {type: integer, default: 3.0}, b: {type: \
                  integer, format: int32, default: -1e3}, c: {type: integer, format: uint64, default: 9223372036854775807}, d: \
                  {x-kubernetes-int-or-string: true, default: 2.0}}}}}";
    let file = directory.write("a.yaml", &definition(schema));
    let (generated, code) = generate(config(&directory).crds(file.display().to_string()));
    assert_eq!(warnings(&generated), [""; 0]);
    for line in ["a: 3i64,", "b: -1000i32,", "c: 9223372036854775807i64,"] {
        assert!(code.contains(line), "{line}");
    }
    let schema = schema.replace("3.0", "3.5").replace("-1e3", "1e10");
    let file = directory.write("a.yaml", &definition(&schema));
    let (generated, _) = generate(config(&directory).crds(file.display().to_string()));
    assert_eq!(warnings(&generated).len(), 2);
}

#[test]
fn a_format_is_int_or_string_of_nothing_else() {
    let directory = Directory::new("crds-format");
    let schema = "{type: object, properties: {spec: {type: object, properties: {a: {type: array, format: int-or-string, items: \
                  {type: string}}, b: {type: string, format: int-or-string}}}}}";
    let file = directory.write("a.yaml", &definition(schema));
    let (_, code) = generate(config(&directory).crds(file.display().to_string()));
    assert!(code.contains("pub a: ::core::option::Option<::std::vec::Vec<::std::string::String>>"));
    assert!(code.contains("pub b: ::core::option::Option<::larder::custom::IntOrString>"));
}

#[test]
fn an_error_says_file_document_definition_version_and_path() {
    let bad = definition(
        "{type: objekt, properties: {spec: {type: object, properties: {a: {type: strng}, b: 5, c: {type: array, items: \
         {type: intger}}}}, status: {type: object, required: x}}}",
    );
    let text = format!("{}---\n{bad}", "apiVersion: v1\nkind: Secret\n");
    let at = "bad.yaml: document 2, as.example.com, v1: spec.versions[0].schema.openAPIV3Schema";
    assert_eq!(
        errors_of("bad.yaml", &text),
        [
            format!("{at}.type: \"objekt\" is no type of an object (did you mean \"object\"?)"),
            format!(
                "{at}.properties.spec.properties.a.type: \"strng\" is no type of a schema (did you mean \"string\"?)"
            ),
            format!("{at}.properties.spec.properties.b: expected an object, found a number"),
            format!(
                "{at}.properties.spec.properties.c.items.type: \"intger\" is no type of a schema (did you mean \"integer\"?)"
            ),
            format!("{at}.properties.status.required: expected an array, found a string"),
        ]
    );
}

#[test]
fn what_is_no_definition_of_today_is_named() {
    let old = definition("{type: object}").replace("k8s.io/v1", "k8s.io/v1beta1");
    let misspelt = definition("{type: object}").replace("Definition", "Defintion");
    for (name, text, expected) in [
        (
            "old.yaml",
            old,
            "old.yaml: as.example.com: apiVersion: \"apiextensions.k8s.io/v1beta1\" is not read, as no supported Kubernetes \
             serves it: write the definition in apiextensions.k8s.io/v1",
        ),
        (
            "misspelt.yaml",
            misspelt,
            "misspelt.yaml: as.example.com: kind: \"CustomResourceDefintion\" is no kind of apiextensions.k8s.io (did you \
             mean \"CustomResourceDefinition\"?)",
        ),
        (
            "others.yaml",
            "kind: Pod\n---\n- 1\n".to_owned(),
            "others.yaml: no CustomResourceDefinition of apiextensions.k8s.io/v1 is there (2 other documents are)",
        ),
        (
            "nameless.yaml",
            definition("{}").replace("name: as.example.com", ""),
            "nameless.yaml: metadata.name: expected the name of the definition, found nothing",
        ),
        (
            "empty.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n".to_owned(),
            "empty.yaml: a: spec: expected the definition, found nothing",
        ),
        (
            "json.json",
            "{".to_owned(),
            "json.json: not JSON: EOF while parsing an object at line 1 column 1",
        ),
    ] {
        assert_eq!(errors_of(name, &text), [expected]);
    }
    let yaml = errors_of("bad.yaml", "a: [1\nb: 2\n");
    assert!(yaml[0].starts_with("bad.yaml: not YAML: "), "{yaml:?}");
    let twice = errors_of("twice.yaml", "a: 1\na: 2\n");
    assert!(twice[0].starts_with("twice.yaml: not YAML: "), "{twice:?}");
}

#[test]
fn everything_that_a_definition_lacks_is_collected() {
    let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.b}\n\
                spec:\n  group: ''\n  scope: Clster\n  names: {shortNames: a}\n  versions:\n  - {served: yes please}\n";
    assert_eq!(
        errors_of("lacking.yaml", text),
        [
            "lacking.yaml: as.b: spec.group: expected the name of a group, found an empty string",
            "lacking.yaml: as.b: spec.scope: \"Clster\" is no scope (did you mean \"Cluster\"?)",
            "lacking.yaml: as.b: spec.names.kind: expected the name of a kind, found nothing",
            "lacking.yaml: as.b: spec.names.plural: expected the name of a resource, found nothing",
            "lacking.yaml: as.b: spec.names.shortNames: expected an array, found a string",
            "lacking.yaml: as.b: spec.versions[0].name: expected the name of a version, found nothing",
        ]
    );
    let without_schema = definition("{}").replace("schema: {openAPIV3Schema: {}}", "schema: {}");
    assert_eq!(
        errors_of("schema.yaml", &without_schema),
        [
            "schema.yaml: as.example.com, v1: spec.versions[0].schema.openAPIV3Schema: expected a schema, found nothing"
        ]
    );
    let misspelt = definition("{}").replace("openAPIV3Schema", "openApiV3Schema");
    assert_eq!(
        errors_of("misspelt.yaml", &misspelt),
        [
            "misspelt.yaml: as.example.com, v1: spec.versions[0].schema.openApiV3Schema: \"openApiV3Schema\" is no key that is \
             read here (did you mean \"openAPIV3Schema\"?)"
        ]
    );
}

#[test]
fn what_is_nested_too_deeply_is_an_error() {
    let mut schema = "{type: object}".to_owned();
    for _ in 0..400 {
        schema = format!("{{type: object, properties: {{a: {schema}}}}}");
    }
    let errors = errors_of("deep.yaml", &definition(&schema));
    assert!(errors[0].starts_with("deep.yaml: not YAML: "), "{errors:?}");
}
