//! Kinds of a cluster's document that are not Kubernetes' own: aggregated APIs, and custom resources without a definition.
//!
//! The reviewed output is compiled and used by the façade's tests. `LARDER_BLESS=1` writes it anew.

mod support;

use std::path::{Path, PathBuf};

use larder_codegen::{Config, Generated, LeftOutReason, Origin, Verb, configure, normalised, read};
use support::directory::Directory;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn cluster() -> PathBuf {
    tests().join("documents/cluster")
}

fn config(directory: &Directory) -> Config {
    configure()
        .out_dir(&directory.0)
        .cargo_instructions(false)
        .runtime_path("::larder")
}

fn generate(config: Config) -> (Generated, String) {
    let generated = config.generate().unwrap_or_else(|errors| panic!("{errors}"));
    let code = std::fs::read_to_string(&generated.file).unwrap();
    (generated, code)
}

fn kinds(generated: &Generated) -> Vec<String> {
    let kinds = generated.kinds.iter();
    kinds.map(|kind| kind.id.to_string()).collect()
}

fn left_out(generated: &Generated) -> Vec<(String, LeftOutReason)> {
    let left_out = generated.left_out.iter();
    left_out.map(|kind| (kind.id.to_string(), kind.reason)).collect()
}

/// Kinds of Kubernetes, aggregated ones, custom resources of the document and of definitions, in one build script.
#[test]
fn one_build_script_gives_the_reviewed_code() {
    let directory = Directory::new("cluster-golden");
    let gadgets = tests().join("crds/gadgets.yaml").display().to_string();
    let (generated, code) = generate(
        config(&directory)
            .openapi(cluster())
            .crds(gadgets)
            .kinds([
                "v1/Pod",
                "shop.example.com/v1/Box",
                "shop.example.com/v1/Gadget",
                "wardle.example.com/v1alpha1/Fischer",
                "wardle.example.com/v1alpha1/Flunder",
            ]),
    );
    let reviewed = tests().join("golden/cluster.rs");
    if std::env::var_os("LARDER_BLESS").is_some() {
        std::fs::write(&reviewed, &code).unwrap();
    }
    assert!(
        code == std::fs::read_to_string(&reviewed).unwrap(),
        "{} differs: review it, then LARDER_BLESS=1",
        reviewed.display()
    );
    assert_eq!(
        kinds(&generated),
        [
            "v1/Pod",
            "shop.example.com/v1/Box",
            "shop.example.com/v1/Gadget",
            "wardle.example.com/v1alpha1/Fischer",
            "wardle.example.com/v1alpha1/Flunder",
        ]
    );
}
