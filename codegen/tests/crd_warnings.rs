//! What is passed over in definitions of custom resources is said, with its place; and what cargo is told.

mod support;

use std::path::Path;
use std::process::Command;

use larder_codegen::{Config, configure};
use support::directory::Directory;
use support::generating::{config, generate};

/// The warnings of one file's text, without the directory in front.
fn warnings(name: &str, text: &str) -> Vec<String> {
    let directory = Directory::new(&format!("warnings-{name}"));
    let file = directory.write(&format!("{name}.yaml"), text);
    let (generated, _) = generate(config(&directory).crds(file.display().to_string()));
    let prefix = format!("{}/", directory.0.display());
    let lines = generated.warnings.iter().map(ToString::to_string);
    lines.map(|line| line.replace(&prefix, "")).collect()
}

/// A definition whose version has this beside its name, and this spec.
fn definition(version: &str, spec: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: as.example.com}}\n\
         spec:\n  group: example.com\n  scope: Cluster\n  names: {{kind: A, plural: as}}\n  versions:\n  - name: v1\n    \
         served: true\n    storage: true\n    {version}\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
         properties: {{spec: {spec}}}\n"
    )
}

#[test]
fn keys_that_nobody_knows_are_named() {
    let spec = "{type: object, x-kubernetes-preserve-unknown-field: true, x-descriptors: [a], properties: {
                a: {type: array, item: {type: string}}, b: {type: object, size: {type: integer}},
                c: {type: array, items: {typ: string}}, d: {additionalProperties: {nulable: true, type: string}},
                e: {type: string, oneOf: [{patern: a}], not: {enums: [b]}}, item: {type: string}}}";
    let columns =
        "additionalPrinterColumns: [{name: A, type: string, jsonPath: .spec.a, descripton: a}]";
    let text = definition(columns, spec)
        .replace("plural: as", "plural: as, shortName: [a]")
        .replace("  scope:", "  validation: {}\n  scope:")
        .replace("storage: true", "storage: true\n    subresource: {}")
        .replace("metadata:", "Metadata: {}\nmetadata:");
    let text = format!("kind: Secret\n---\n{text}");
    let part = "keys.yaml: document 2, as.example.com";
    let schema = format!("{part}, v1: spec.versions[0].schema.openAPIV3Schema.properties.spec");
    let properties = format!("{schema}.properties");
    let passed_over = "and is passed over";
    let expected = [
        format!(
            "{part}: Metadata: \"Metadata\" is no key of a definition {passed_over} (did you mean \"metadata\"?)"
        ),
        format!(
            "{part}: spec.validation: \"validation\" is no key of a definition's spec {passed_over}"
        ),
        format!(
            "{part}: spec.names.shortName: \"shortName\" is no key of a definition's names {passed_over} (did you mean \
             \"shortNames\"?)"
        ),
        format!(
            "{part}, v1: spec.versions[0].subresource: \"subresource\" is no key of a version {passed_over} (did you mean \
             \"subresources\"?)"
        ),
        format!(
            "{part}, v1: spec.versions[0].additionalPrinterColumns[0].descripton: \"descripton\" is no key of a printer \
             column {passed_over} (did you mean \"description\"?)"
        ),
        format!(
            "{schema}.x-kubernetes-preserve-unknown-field: \"x-kubernetes-preserve-unknown-field\" is no key of a schema \
             {passed_over} (did you mean \"x-kubernetes-preserve-unknown-fields\"?)"
        ),
        format!(
            "{properties}.a.item: \"item\" is no key of a schema {passed_over} (did you mean \"items\"?)"
        ),
        format!("{properties}.b.size: \"size\" is no key of a schema {passed_over}"),
        format!(
            "{properties}.c.items.typ: \"typ\" is no key of a schema {passed_over} (did you mean \"type\"?)"
        ),
        format!(
            "{properties}.d.additionalProperties.nulable: \"nulable\" is no key of a schema {passed_over} (did you mean \
             \"nullable\"?)"
        ),
        format!(
            "{properties}.e.not.enums: \"enums\" is no key of a schema {passed_over} (did you mean \"enum\"?)"
        ),
        format!(
            "{properties}.e.oneOf[0].patern: \"patern\" is no key of a schema {passed_over} (did you mean \"pattern\"?)"
        ),
    ];
    assert_eq!(warnings("keys", &text), expected);
}

#[test]
fn defaults_that_are_impossible_are_named() {
    let spec = "{type: object, properties: {a: {type: integer, default: x}, b: {type: array, items: {type: object, \
                properties: {c: {type: object, additionalProperties: {type: object, properties: {\"x-d\": {type: boolean, \
                default: 1}}}}}}}, e: {type: string, default: \"fine\"}, f: {type: object, default: {g: 1}, properties: {g: \
                {type: string}}}}}";
    let place = "defaults.yaml: as.example.com, v1: spec.versions[0].schema.openAPIV3Schema";
    let line = |path: &str| {
        format!(
            "{place}: the default of {path} cannot be filled in and is passed over: the field is optional"
        )
    };
    assert_eq!(
        warnings("defaults", &definition("deprecated: false", spec)),
        [line("spec.a"), line("spec.f"), line("spec.b[].c[].\"x-d\""),]
    );
}

#[test]
fn selectable_fields_without_a_constant_are_named() {
    let version = "selectableFields: [{jsonPath: .spec.color}, {jsonPath: .spec.colr}, {jsonPath: .spec.list}, {jsonPath: \
                   .spec.pruned}, {jsonPath: .spec.size.x}]";
    let spec = "{type: object, properties: {color: {type: string}, list: {type: array, items: {type: string}}, pruned: \
                {type: string}, size: {type: integer}}}";
    let text = definition(version, spec);
    let directory = Directory::new("warnings-selectable");
    let file = directory.write("fields.yaml", &text);
    let of = |config: Config| {
        let (generated, _) = generate(config.crds(file.display().to_string()));
        let code = std::fs::read_to_string(&generated.file).unwrap();
        assert!(code.contains("pub const SPEC_COLOR:") && !code.contains("SPEC_LIST"));
        assert_eq!(
            code.contains("SPEC_PRUNED"),
            generated.warnings.len() == 3,
            "{code}"
        );
        let prefix = format!(
            "{}: as.example.com, v1: spec.versions[0].selectableFields",
            file.display()
        );
        let lines = generated.warnings.iter().map(ToString::to_string);
        lines
            .map(|line| line.replace(&prefix, ""))
            .collect::<Vec<_>>()
    };
    let none = "is no field of a text, number or boolean: there is no constant to select by it";
    let unknown = format!("[1].jsonPath: spec.colr {none} (did you mean \"spec.color\"?)");
    let list = format!("[2].jsonPath: spec.list {none}");
    let pruned = format!("[3].jsonPath: spec.pruned {none}");
    let inside = format!("[4].jsonPath: spec.size.x {none} (did you mean \"spec.size\"?)");
    assert_eq!(
        of(config(&directory)),
        [unknown.clone(), list.clone(), inside.clone()]
    );
    assert_eq!(
        of(config(&directory).prune("*", "spec.pruned")),
        [unknown, list, pruned, inside]
    );
}

#[test]
fn only_what_is_emitted_is_warned_of() {
    let one = definition("deprecated: false", "{type: objekt-like, typ: object}")
        .replace("objekt-like", "object");
    let other = one.replace("kind: A,", "kind: B,").replace("as", "bs");
    let directory = Directory::new("warnings-selected");
    let file = directory.write("both.yaml", &format!("{one}---\n{other}"));
    let both = config(&directory).crds(file.display().to_string());
    assert_eq!(generate(both.clone()).0.warnings.len(), 2);
    let (generated, _) = generate(both.kinds(["example.com/v1/B"]));
    assert_eq!(generated.warnings.len(), 1);
    assert_eq!(
        generated.warnings[0].place.within(),
        "document 2, bs.example.com, v1"
    );
}

/// Where the process that prints finds its files.
const FILES: &str = "LARDER_TEST_FILES";

#[test]
#[ignore = "prints for cargo, in a process of its own: see the next"]
fn prints_for_cargo() {
    let files = std::env::var(FILES).expect("the next test runs this one");
    let configured = configure()
        .crds(format!("{files}/folder"))
        .crds(format!("{files}/pattern/*.yaml"))
        .crds(format!("{files}/file.yaml"))
        .openapi(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/document.json"))
        .out_dir(format!("{files}/out"));
    if let Err(errors) = configured.generate() {
        errors.print_for_cargo();
    }
}

/// What a build script prints with these files.
fn printed(files: &Path) -> Vec<String> {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "prints_for_cargo",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FILES, files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let prefix = format!("{}/", files.display());
    // The test harness prints the test's name in front of the first line.
    let lines = text.lines().filter_map(|line| line.split_once("cargo::"));
    lines.map(|(_, line)| line.replace(&prefix, "")).collect()
}

#[test]
fn cargo_is_told_what_to_watch_and_what_was_passed_over() {
    let of = |plural: &str, version: &str, spec: &str| {
        definition(version, spec)
            .replace("plural: as", &format!("plural: {plural}"))
            .replace("as.example.com", &format!("{plural}.example.com"))
            .replace("kind: A", &format!("kind: {}", plural.to_uppercase()))
    };
    let directory = Directory::new("warnings-cargo");
    let fine = "{type: object}";
    directory.write("folder/deep/a.yaml", &of("a", "deprecated: false", fine));
    directory.write(
        "pattern/b.yaml",
        &of(
            "b",
            "deprecated: false",
            "{x: 1, properties: {x: {x: 1}, y: {x: 1}}}",
        ),
    );
    directory.write(
        "file.yaml",
        &of("c", "deprecated: false", fine).replace("served: true", "served: false"),
    );
    let lines = printed(&directory.0);
    let expected = [
        "rerun-if-changed=folder",
        "rerun-if-changed=pattern",
        "rerun-if-changed=file.yaml",
        "warning=left out example.com/v1/C: its definition says that this version is not served",
        "warning=pattern/b.yaml: b.example.com, v1: spec.versions[0].schema.openAPIV3Schema.properties.spec.x: \"x\" is no key \
         of a schema and is passed over; so in 2 more places",
    ];
    for line in expected {
        assert!(
            lines.iter().any(|there| there == line),
            "{line}: {lines:#?}"
        );
    }
    let watched = lines
        .iter()
        .filter(|line| line.starts_with("rerun-if-changed"));
    assert_eq!(watched.count(), 4, "{lines:#?}");

    // After an error as well: the file that is mended is looked at again.
    directory.write(
        "pattern/broken.yaml",
        &of("d", "deprecated: false", "{type: strng}"),
    );
    let lines = printed(&directory.0);
    let error = "error=pattern/broken.yaml: d.example.com, v1: spec.versions[0].schema.openAPIV3Schema.properties.spec.type: \
                 \"strng\" is no type of a schema (did you mean \"string\"?)";
    for line in ["rerun-if-changed=pattern", error] {
        assert!(
            lines.iter().any(|there| there == line),
            "{line}: {lines:#?}"
        );
    }
}
