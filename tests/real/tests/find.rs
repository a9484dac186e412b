//! `tests/apiserver/find.sh` tells the cases apart without building anything.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("larder-find-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The script with an empty cache, and without Go: its search path holds only the tools that it needs itself.
fn find(scratch: &Scratch, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let tools = scratch.0.join("bin");
    std::fs::create_dir_all(&tools).unwrap();
    for tool in ["bash", "dirname", "cut", "sha256sum", "shasum"] {
        let places = std::env::var_os("PATH").unwrap();
        let found = std::env::split_paths(&places)
            .map(|place| place.join(tool))
            .find(|path| path.is_file());
        if let Some(found) = found {
            let _ = symlink(found, tools.join(tool));
        }
    }
    Command::new("bash")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../apiserver/find.sh"))
        .args(arguments)
        .env_remove("LARDER_APISERVER")
        .env("PATH", &tools)
        .env("LARDER_CACHE", scratch.0.join("cache"))
        .envs(environment.iter().copied())
        .output()
        .unwrap()
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn it_builds_nothing_unasked_and_says_how_to_ask() {
    let output = find(&Scratch::new("unasked"), &[], &[]);
    assert_eq!(output.status.code(), Some(3), "{}", messages(&output));
    assert!(output.stdout.is_empty());
    assert!(
        messages(&output).contains("find.sh --build"),
        "{}",
        messages(&output)
    );
}

#[test]
fn without_go_it_says_skipped_and_exits_with_3() {
    let output = find(&Scratch::new("no-go"), &["--build"], &[]);
    assert_eq!(output.status.code(), Some(3), "{}", messages(&output));
    assert!(output.stdout.is_empty());
    assert!(
        messages(&output).contains("Go is not installed"),
        "{}",
        messages(&output)
    );
}

#[test]
fn none_skips() {
    let output = find(&Scratch::new("none"), &[], &[("LARDER_APISERVER", "none")]);
    assert_eq!(output.status.code(), Some(3), "{}", messages(&output));
    assert!(
        messages(&output).contains("skipped"),
        "{}",
        messages(&output)
    );
}

#[test]
fn a_named_program_is_taken_as_it_is() {
    let output = find(
        &Scratch::new("named"),
        &[],
        &[("LARDER_APISERVER", "/bin/sh")],
    );
    assert!(output.status.success(), "{}", messages(&output));
    assert_eq!(output.stdout, b"/bin/sh\n");
}

#[test]
fn a_named_program_that_is_none_is_an_error_and_no_skip() {
    let output = find(
        &Scratch::new("wrong"),
        &[],
        &[("LARDER_APISERVER", "/nowhere/apiserver")],
    );
    assert_eq!(output.status.code(), Some(1), "{}", messages(&output));
    assert!(
        messages(&output).contains("/nowhere/apiserver, which is not a program"),
        "{}",
        messages(&output)
    );
}
