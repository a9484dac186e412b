//! Where the tests find the carried documents, the Kubernetes releases and k8s-openapi's sources.

// Each test program uses a part of this.
#![allow(dead_code, unreachable_pub)]

pub mod directory;
pub mod generating;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use larder_codegen::{Model, read};

/// The folder of the carried documents.
pub fn carried_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated")
}

/// The carried documents as (minor version, file), oldest first.
pub fn carried() -> Vec<(u32, PathBuf)> {
    let entries = std::fs::read_dir(carried_folder()).expect("the folder of the carried documents");
    let mut documents: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.expect("an entry").path();
            let minor = path.file_name()?.to_str()?.strip_prefix("v1_")?;
            Some((minor.strip_suffix(".json")?.parse().ok()?, path))
        })
        .collect();
    documents.sort();
    assert!(documents.len() >= 5, "{documents:?}");
    documents
}

/// Compares what was emitted with the reviewed file `golden/NAME`, which `LARDER_BLESS=1` writes anew.
pub fn is_as_reviewed(name: &str, emitted: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let file = folder.join(name);
    if std::env::var_os("LARDER_BLESS").is_some() {
        std::fs::write(&file, emitted).expect("the file can be written");
    }
    let reviewed = std::fs::read_to_string(&file).expect("the reviewed file");
    // Not `assert_eq!`: nobody reads two such files in a terminal.
    assert!(
        emitted == reviewed,
        "golden/{name} differs: review it, then LARDER_BLESS=1"
    );
}

pub fn model(path: &Path) -> Model {
    read(path).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The releases that the carried documents are made of: the list in `generated/refresh.sh`.
pub fn releases() -> Vec<String> {
    let script = std::fs::read_to_string(carried_folder().join("refresh.sh")).expect("the script");
    let lines = script.lines().map(str::trim);
    let releases: Vec<String> = lines
        .filter(|line| line.starts_with("v1."))
        .map(str::to_owned)
        .collect();
    assert!(releases.len() >= 5, "{releases:?}");
    releases
}

/// The folder `api/openapi-spec` of a release in Go's module cache; `None`, and said so, where it is not.
///
/// The network is not asked.
pub fn release(version: &str) -> Option<PathBuf> {
    let output = Command::new("go")
        .args([
            "mod",
            "download",
            "-json",
            &format!("k8s.io/kubernetes@{version}"),
        ])
        .env("GOPROXY", "off")
        .env("GOFLAGS", "-mod=mod")
        .current_dir(std::env::temp_dir())
        .output();
    let directory = output.ok().and_then(|output| {
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        let directory = Path::new(answer.get("Dir")?.as_str()?).join("api/openapi-spec");
        directory.is_dir().then_some(directory)
    });
    if directory.is_none() {
        // Not by a macro, whose output the test harness hides.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: what needs k8s.io/kubernetes {version}, which is not in Go's module cache \
             (generated/refresh.sh downloads it)"
        );
    }
    directory
}

/// The sources of k8s-openapi that this workspace builds with.
pub fn k8s_openapi_sources() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages
        .iter()
        .find(|package| package["name"] == "k8s-openapi")
        .expect("k8s-openapi is a dependency of the workspace");
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").join("src")
}
