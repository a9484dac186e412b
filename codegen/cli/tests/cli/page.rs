//! The page about the command shows what the command prints.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_on_the_page_print_what_the_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/command.md")).unwrap();
    let (_, console) = page.split_once("```console\n").unwrap();
    let (console, _) = console.split_once("```").unwrap();
    let mut checked = 0;
    for example in console.split("\n\n") {
        let (line, expected) = example.split_once('\n').unwrap();
        let command = line.strip_prefix("$ larder ").unwrap();
        let script = format!("\"$LARDER\" {command} 2>&1");
        let ran = Command::new("sh")
            .args(["-c", &script])
            .env("LARDER", env!("CARGO_BIN_EXE_larder"))
            .current_dir(&root)
            .output()
            .unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(printed.trim_end(), expected.trim_end(), "{line}");
        checked += 1;
    }
    assert!(checked >= 3, "{checked}");
}
