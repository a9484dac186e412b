//! The compiler's messages on the pages are those that the compiler says.

use std::fs;
use std::path::Path;

/// The blocks of a page that show a message of the compiler.
fn messages(page: &str) -> Vec<Vec<&str>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while lines.by_ref().any(|line| line == "```text") {
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if block.first().is_some_and(|line| line.starts_with("error")) {
            blocks.push(block);
        }
    }
    blocks
}

/// Whether a message is in a recorded one, from which pages leave lines out.
fn is_in(message: &[&str], recorded: &str) -> bool {
    let mut recorded = recorded.lines();
    message
        .iter()
        .all(|line| recorded.by_ref().any(|other| other.trim() == line.trim()))
}

#[test]
fn pages_show_what_the_compiler_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str, ending: &str| -> Vec<(String, String)> {
        let entries = fs::read_dir(root.join(folder)).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("the folder can be read").path());
        let named = paths.filter(|path| path.extension().is_some_and(|other| other == ending));
        let read = named.map(|path| {
            let text = fs::read_to_string(&path).expect("the file can be read");
            (path.display().to_string(), text)
        });
        read.collect()
    };
    // Recorded by the target `compile_fail`.
    let recorded = files("tests/compile_fail", "stderr");
    let mut shown = 0;
    for (page, text) in files("docs", "md") {
        for message in messages(&text) {
            shown += 1;
            assert!(
                recorded
                    .iter()
                    .any(|(_, recorded)| is_in(&message, recorded)),
                "{page} shows a message that is not recorded:\n{}",
                message.join("\n")
            );
        }
    }
    assert!(shown >= 8, "only {shown} messages were found on the pages");
}

#[test]
fn a_changed_message_is_found() {
    let page = "# Page\n\n```text\nerror: wrong\n  |\n7 |     x\n```\n\n```text\nno error\n```\n";
    let found = messages(page);
    assert_eq!(found, [["error: wrong", "  |", "7 |     x"]]);
    let message = found.first().expect("there is one");
    assert!(is_in(
        message,
        "error: wrong\n --> a.rs\n  |\n7 |     x\n  |\n"
    ));
    assert!(!is_in(message, "error: right\n  |\n7 |     x\n"));
    assert!(!is_in(message, "  |\n7 |     x\nerror: wrong\n"));
}
