//! A copy of examples/custom-resources outside of the workspace, as a user has it, and its builds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// The first build compiles k8s-openapi, kube and Larder, on a machine that may be busy.
const BUILD_LIMIT: Duration = Duration::from_secs(30 * 60);
const NAME: &str = "custom-resources";

pub(crate) struct Project {
    folder: tempfile::TempDir,
    /// That of `tests/user-crate.sh`, which has built most of it.
    target: PathBuf,
}

impl Project {
    pub(crate) fn new() -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let repository = repository.canonicalize().expect("the repository is there");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
        let project = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            target: target.expect("cargo's folder").join("user-crate"),
        };
        let example = repository.join("examples").join(NAME);
        for file in ["Cargo.toml", "build.rs", "src/main.rs"] {
            project.copy(&example.join(file), file);
        }
        for file in std::fs::read_dir(example.join("crds")).expect("its definitions") {
            let file = file.expect("an entry").path();
            let name = file.file_name().expect("a name").to_string_lossy();
            project.copy(&file, &format!("crds/{name}"));
        }
        // The versions that the workspace is tested with.
        project.copy(&repository.join("Cargo.lock"), "Cargo.lock");
        let path = |folder: &str| format!("{:?}", repository.join(folder));
        let paths = [
            ("\"../..\"", &*path("")),
            ("\"../../codegen\"", &*path("codegen")),
        ];
        project.edit("Cargo.toml", &paths);
        project
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(crate) fn copy(&self, from: &Path, file: &str) {
        let to = self.path(file);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }

    /// What the user changes: each text that is there once by another.
    pub(crate) fn edit(&self, file: &str, changes: &[(&str, &str)]) {
        let path = self.path(file);
        let mut text = std::fs::read_to_string(&path).expect("a text file");
        for (from, to) in changes {
            let found = text.matches(from).count();
            assert_eq!(found, 1, "{file} has {from:?} once:\n{text}");
            text = text.replace(from, to);
        }
        std::fs::write(path, text).expect("it can be written");
    }

    /// `cargo build`, and no more than that: the program, and what cargo printed.
    pub(crate) async fn build(&self) -> (PathBuf, String) {
        let printed = self.cargo(&["build"]).await;
        (self.target.join("debug").join(NAME), printed)
    }

    /// Takes away what was built of this copy alone.
    pub(crate) async fn clean(self) {
        self.cargo(&["clean", "--package", NAME]).await;
    }

    async fn cargo(&self, arguments: &[&str]) -> String {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let running = Command::new(cargo)
            .args(arguments)
            .args(["--color", "never"])
            .current_dir(self.folder.path())
            .env("CARGO_TARGET_DIR", &self.target)
            // As the script builds it, and a third of the size.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // The workspace's own builds have these; a user's crate enables a version by feature.
            .env_remove("K8S_OPENAPI_ENABLED_VERSION")
            .env_remove("LARDER_OPENAPI")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(BUILD_LIMIT, running).await;
        let output = output.unwrap_or_else(|_| panic!("waited {BUILD_LIMIT:?} for {arguments:?}"));
        let output = output.expect("cargo runs");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "cargo {arguments:?}:\n{printed}");
        printed
    }
}
