//! Help, version and completion.

use crate::support::Place;

#[test]
fn help_and_completion_name_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completion", shell]).fine();
        for command in ["openapi", "pull", "diff", "crds", "generate", "explain"] {
            assert!(script.contains(command), "{command} in {shell}");
        }
    }
    let help = place.run(&["--help"]).fine();
    assert!(help.contains("Exit codes"), "{help}");
}

#[test]
fn the_version_is_that_of_the_crate() {
    let version = Place::new().run(&["--version"]).fine();
    assert_eq!(version, format!("larder {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_of_every_command_explains_it_with_examples() {
    let place = Place::new();
    for command in [
        &[][..],
        &["openapi"],
        &["openapi", "pull"],
        &["openapi", "diff"],
        &["crds"],
        &["crds", "pull"],
        &["generate"],
        &["explain"],
        &["completion"],
    ] {
        let help = place.run(&[command, &["--help"]].concat()).fine();
        assert!(help.contains("\nExamples:\n"), "{command:?}: {help}");
        let short = place.run(&[command, &["-h"]].concat()).fine();
        assert!(short.lines().count() < help.lines().count(), "{command:?}");
    }
    let help = place.run(&["generate", "--help"]).fine();
    for option in [
        "--openapi",
        "--crds",
        "--kind",
        "--check",
        "--types-of",
        "--built-in-only",
        "--server-version",
        "--unserved-versions",
        "--use-type",
        "--prune",
        "--boxed",
        "--skip",
        "--no-unknown-fields",
        "--runtime-path",
        "--k8s-openapi-path",
        "--file-name",
        "--dir",
    ] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn a_misspelt_command_or_option_says_what_was_meant() {
    let place = Place::new();
    for (arguments, expected) in [
        (&["opnapi", "pull"][..], "'openapi'"),
        (&["openapi", "pull", "--contxt", "a"], "'--context'"),
        (&["generate", "--crds", "a"], "--dir <FOLDER>"),
        (
            &["generate", "-d", "a"],
            "<--openapi <DOCUMENT>|--crds <DEFINITIONS>...>",
        ),
        (
            &[
                "generate",
                "--crds",
                "a",
                "-d",
                "b",
                "--prune",
                "spec.affinity",
            ],
            "write kind and path",
        ),
        (
            &[
                "generate",
                "--crds",
                "a",
                "-d",
                "b",
                "--file-name",
                "../a.rs",
            ],
            "the folder is `--dir`",
        ),
        (
            &[
                "generate",
                "--openapi",
                "a",
                "-d",
                "b",
                "--server-version",
                "37",
            ],
            "write one as 1.37",
        ),
        (&["openapi", "diff", "a"], "<NEW|--live>"),
        (
            &["openapi", "diff", "a", "b", "--live"],
            "cannot be used with",
        ),
        (
            &["openapi", "pull", "--timeout", "soon"],
            "a number of seconds",
        ),
        (&["completion", "basch"], "bash"),
    ] {
        let ran = place.run(arguments);
        assert_eq!(
            (ran.code, &*ran.out),
            (Some(2), ""),
            "{arguments:?}: {ran:?}"
        );
        assert!(
            ran.err.contains(expected),
            "{arguments:?}: {expected:?} not in {}",
            ran.err
        );
    }
}

/// What the shell does when the tab key is pressed.
#[test]
fn bash_completes_commands_options_and_files() {
    let place = Place::new();
    if std::process::Command::new("bash")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("skipped: there is no bash");
        return;
    }
    let complete = |words: &str| {
        let line = format!(
            "eval \"$(larder completion bash)\"; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _larder larder \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        place.shell("bash", &line).fine()
    };
    assert_eq!(complete("larder exp"), "explain\n");
    assert_eq!(complete("larder openapi d"), "diff\n");
    assert_eq!(complete("larder openapi diff --l"), "--live\n");
    assert_eq!(complete("larder generate --no"), "--no-unknown-fields\n");
    assert_eq!(complete("larder --output j"), "json\n");
}
