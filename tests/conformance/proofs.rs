//! Finds the tests that are named after numbers, in the text of the sources.
//!
//! Sources are formatted (the checks of this repository see to that), so a function is the lines from its head to the closing brace
//! at the same indentation, and its attributes stand on the lines above.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::matrix::{EVERY, Modes};
use crate::support::listings;

/// A test that is named after one or more numbers.
pub(crate) struct Proof {
    pub(crate) numbers: Vec<String>,
    pub(crate) name: String,
    /// The source, from the root of the workspace.
    pub(crate) file: String,
    /// Where and how it runs.
    pub(crate) modes: String,
    pub(crate) in_modes: bool,
    pub(crate) on_real_server: bool,
}

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every proof, in order of files and of their lines; what is wrong goes to `wrong`.
pub(crate) fn find(wrong: &mut Vec<String>) -> Vec<Proof> {
    let mut files = Vec::new();
    sources(root(), &mut files);
    files.sort();
    let mut proofs = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).expect("a source is text");
        let file = path.strip_prefix(root()).unwrap_or(path);
        let file = file.to_string_lossy().replace('\\', "/");
        proofs.extend(of_file(&file, &text, wrong));
    }
    let found: BTreeSet<_> = proofs
        .iter()
        .map(|proof| (&*proof.file, &*proof.name))
        .collect();
    for case in crate::cases() {
        if !found.contains(&(case.file, case.name)) {
            wrong.push(format!(
                "{}: the case {} has no number",
                case.file, case.name
            ));
        }
    }
    proofs
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the workspace") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            // The simulator's own tests prove nothing of the cache.
            let skipped = name.starts_with('.') || name == "target" || path.ends_with("tests/sim");
            if !skipped {
                sources(&path, into);
            }
        } else if name.ends_with(".rs") {
            into.push(path);
        }
    }
}

/// One function in a source.
struct Function<'a> {
    name: &'a str,
    attributes: String,
    body: String,
}

fn of_file(file: &str, text: &str, wrong: &mut Vec<String>) -> Vec<Proof> {
    let mut proofs = Vec::new();
    for function in functions(text) {
        let numbers = numbers(function.name);
        if numbers.is_empty() {
            continue;
        }
        match modes(file, text, &function) {
            Ok((modes, in_modes)) => proofs.push(Proof {
                numbers,
                name: function.name.to_owned(),
                file: file.to_owned(),
                on_real_server: modes.contains(REAL_SERVER),
                modes,
                in_modes,
            }),
            Err(why) => wrong.push(format!("{file}: {} {why}", function.name)),
        }
    }
    proofs
}

/// The numbers that a name begins with, as in `c003_c004_lists_by_label`.
fn numbers(name: &str) -> Vec<String> {
    let is_number = |part: &&str| {
        let digits = part.strip_prefix('c').unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = name.split('_').take_while(is_number);
    parts.map(str::to_owned).collect()
}

fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    let mut attributes = String::new();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let is_attribute = trimmed.starts_with("#[") || trimmed.starts_with("//");
        let head = [
            "fn ",
            "async fn ",
            "pub fn ",
            "pub(crate) fn ",
            "pub(crate) async fn ",
        ]
        .iter()
        .find_map(|head| trimmed.strip_prefix(head));
        if let Some(rest) = head {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            let end = format!("{}}}", &line[..line.len() - trimmed.len()]);
            let body = lines[at..].iter().take_while(|line| **line != end);
            functions.push(Function {
                name,
                attributes: std::mem::take(&mut attributes),
                body: body.copied().collect::<Vec<_>>().join("\n"),
            });
        } else if is_attribute {
            attributes.push_str(trimmed);
            attributes.push('\n');
        } else {
            attributes.clear();
        }
    }
    functions
}

const SIMULATOR: &str = "simulator";
const REAL_SERVER: &str = "real API server";

/// In which modes a test runs, and whether those are the matrix's.
fn modes(file: &str, text: &str, function: &Function<'_>) -> Result<(String, bool), &'static str> {
    let is_test = ["#[test]", "#[tokio::test"]
        .iter()
        .any(|test| function.attributes.contains(test));
    if function.attributes.contains("#[ignore") {
        return Err("is ignored, so it proves nothing");
    }
    if let Some(modes) = case(file, function.name) {
        return Ok((format!("{SIMULATOR}: {}", modes.name), true));
    }
    if is_on_both(file, function.name) {
        return Ok((format!("{SIMULATOR} over a socket, {REAL_SERVER}"), false));
    }
    let place = place(file);
    if let Some(forms) = representations(text, function) {
        let in_modes = function.body.contains("in modes()");
        return Ok((format!("{place}: {forms}"), in_modes));
    }
    if !is_test {
        return Err("is named like a test and is none");
    }
    if function.body.contains("in listings()") {
        let names = listings().map(|(name, _)| name);
        return Ok((format!("{place}: {}", names.join(", ")), false));
    }
    Ok((place.to_owned(), false))
}

/// The modes of a case of the matrix.
fn case(file: &str, name: &str) -> Option<&'static Modes> {
    let mut cases = crate::cases();
    let found = cases.find(|case| case.file == file && case.name == name);
    found.map(|case| case.modes)
}

/// Whether a scenario is one of those that run on simulator and real server.
fn is_on_both(file: &str, name: &str) -> bool {
    file.starts_with("tests/e2e/") && {
        let main = fs::read_to_string(root().join("tests/e2e/main.rs")).unwrap_or_default();
        let list = main.rsplit_once("on_both! {").map_or("", |(_, list)| list);
        list.lines()
            .filter_map(|line| line.trim().trim_end_matches(',').split_once("::"))
            .any(|(_, scenario)| scenario.split(' ').next() == Some(name))
    }
}

/// The modes of a test that `on_each!` runs on each representation, of tests/kinds.
fn representations(text: &str, function: &Function<'_>) -> Option<String> {
    let (_, list) = text.rsplit_once("\non_each! {\n")?;
    let (list, _) = list.split_once("\n}\n")?;
    let mut names = list.lines().map(|line| line.trim().trim_end_matches(','));
    names.find(|name| *name == function.name)?;
    let forms = "typed, metadata-only, dynamic".to_owned();
    let listings = listings().map(|(name, _)| name).join(", ");
    Some(if function.body.contains("in modes()") {
        let scopes: Vec<_> = EVERY.scopes.iter().map(|scope| scope.name()).collect();
        format!("{{{}}} × {{{forms}}} × {{{listings}}}", scopes.join(", "))
    } else if function.body.contains("in listings()") {
        format!("{{{forms}}} × {{{listings}}}")
    } else {
        forms
    })
}

/// What a test is made against, by where it stands.
fn place(file: &str) -> &'static str {
    let places = [
        ("tests/real/", REAL_SERVER),
        ("tests/kinds/real.rs", REAL_SERVER),
        ("tests/faults/socket.rs", "simulator over a socket"),
        ("tests/", SIMULATOR),
        ("runtime/src/reflector/tests/", "scripted server"),
    ];
    let found = places.iter().find(|(start, _)| file.starts_with(start));
    found.map_or("unit test", |(_, place)| place)
}

#[test]
fn functions_are_found_with_their_attributes_and_bodies() {
    let text = "
#[tokio::test(start_paused = true)]
async fn @001_@002_one() {
    for mode in listings() {}
}

mod inner {
    #[test]
    #[ignore = \"why\"]
    fn @003_two() {
        {
        }
    }

    fn @1_none() {}
}
"
    .replace('@', "c");
    let found: Vec<_> = functions(&text)
        .iter()
        .map(|function| {
            (
                function.name.to_owned(),
                function.attributes.lines().count(),
                numbers(function.name),
            )
        })
        .collect();
    let own = |numbers: &[&str]| {
        numbers
            .iter()
            .map(|number| (*number).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found,
        [
            ("c001_c002_one".to_owned(), 1, own(&["c001", "c002"])),
            ("c003_two".to_owned(), 2, own(&["c003"])),
            ("c1_none".to_owned(), 0, own(&[])),
        ]
    );
    let mut wrong = Vec::new();
    let proofs = of_file("tests/faults/x.rs", &text, &mut wrong);
    assert_eq!(proofs.len(), 1);
    assert_eq!(
        proofs[0].modes,
        "simulator: streaming list, list, list in pages of 2"
    );
    assert_eq!(
        wrong,
        ["tests/faults/x.rs: c003_two is ignored, so it proves nothing"]
    );
    let text = "fn @004_helper() {}\n".replace('@', "c");
    assert!(of_file("tests/faults/x.rs", &text, &mut wrong).is_empty());
    assert_eq!(wrong.len(), 2);
}
