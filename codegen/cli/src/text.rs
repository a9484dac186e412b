//! What people read: numbers with their nouns, suggestions, and standard output.

use std::io::Write as _;

use serde::Serialize;

use crate::Outcome;
use crate::args::Output;

/// `1 kind`, `2 kinds`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// The word for a group on the command line: the core group has a name there.
pub(crate) fn spoken(group: &str) -> &str {
    if group.is_empty() { "core" } else { group }
}

/// ` (did you mean "apps"?)`, where a known word is near enough to be meant.
pub(crate) fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = larder_codegen::inspect::nearest(wrong, known);
    near.map_or_else(String::new, |word| format!(" (did you mean {word:?}?)"))
}

/// An error and its causes, without those that another one says already.
pub(crate) fn causes(error: &anyhow::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if !told.iter().any(|told| told.contains(&cause)) {
            told.push(cause);
        }
    }
    told.join(": ")
}

pub(crate) fn print_bytes(bytes: &[u8]) -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(Outcome::Fine)
}

/// Prints a result in the form that was asked for.
pub(crate) fn print<T: Serialize>(
    result: &T,
    output: Output,
    text: impl FnOnce(&T) -> String,
) -> anyhow::Result<()> {
    let mut printed = match output {
        Output::Text => text(result),
        Output::Json => serde_json::to_string_pretty(result)?,
    };
    if !printed.is_empty() && !printed.ends_with('\n') {
        printed.push('\n');
    }
    print_bytes(printed.as_bytes())?;
    Ok(())
}
