//! Emits the kinds of Kubernetes: those of the version enabled in k8s-openapi, or of the cluster whose document
//! `LARDER_OPENAPI` names.

use std::path::{Path, PathBuf};

use larder_codegen::{Errors, KubernetesVersion, configure, path_from_env};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo shows the errors and fails the build; an exit code of our own would only add all of the output again.
    if let Err(errors) = run() {
        errors.print_for_cargo();
    }
}

fn run() -> Result<(), Errors> {
    let version = KubernetesVersion::enabled()?;
    let carried = carried_document(version);
    let document = path_from_env("LARDER_OPENAPI")?.unwrap_or_else(|| carried.clone());
    configure()
        .openapi(document)
        .types_of(carried)
        .server_version(version)
        .built_in_only(true)
        // The façade re-exports the runtime.
        .runtime_path("crate")
        .generate()?;
    Ok(())
}

/// The normalised document of a Kubernetes version, in `generated/`.
fn carried_document(version: KubernetesVersion) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("generated")
        .join(format!("v1_{}.json", version.minor()))
}
