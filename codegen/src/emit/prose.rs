//! Descriptions out of schemas as rustdoc: people wrote them for other readers.
//!
//! What rustdoc would take for a link, an HTML tag, a heading or code to compile is escaped; text between backticks stays,
//! URLs become links, and indentation goes, as four spaces would make a doctest.

/// `text` as Markdown that rustdoc takes without a warning.
pub(super) fn clean(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim();
        match (fence, fence_of(line)) {
            (None, Some(opened)) => {
                fence = Some(opened);
                lines.push(format!("{opened}text"));
            }
            (Some(opened), _) if line == opened => {
                fence = None;
                lines.push(opened.to_owned());
            }
            (Some(_), _) => lines.push(line.to_owned()),
            (None, None) => lines.push(clean_line(line)),
        }
    }
    lines.extend(fence.map(str::to_owned));
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    lines.join("\n").trim().to_owned()
}

fn fence_of(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| {
        // What goes on behind a closing fence on the same line is a span of code.
        line.strip_prefix(fence)
            .is_some_and(|rest| !rest.contains(fence))
    })
}

fn clean_line(line: &str) -> String {
    let mut clean = String::with_capacity(line.len() + 8);
    let mut rest = line;
    // A list's mark stays.
    if let Some(item) = ["- ", "* "]
        .into_iter()
        .find_map(|mark| rest.strip_prefix(mark))
    {
        clean.push_str("- ");
        rest = item.trim_start();
    } else if rest.starts_with(['#', '>', '+', '='])
        || (!rest.is_empty() && rest.chars().all(|c| c == '-'))
        || rest.starts_with("~~~")
    {
        clean.push('\\');
        let first = rest.chars().next().map_or(0, char::len_utf8);
        clean.push_str(&rest[..first]);
        rest = &rest[first..];
    }
    let mut after_word = false;
    while let Some(c) = rest.chars().next() {
        if c == '`' {
            let length = code_span(rest);
            clean.push_str(length.map_or("\\`", |length| &rest[..length]));
            rest = &rest[length.unwrap_or(1)..];
            after_word = false;
            continue;
        }
        if let Some(length) = url(rest).filter(|_| !after_word) {
            clean.push('<');
            clean.push_str(&rest[..length]);
            clean.push('>');
            rest = &rest[length..];
            continue;
        }
        if matches!(c, '\\' | '[' | ']' | '<' | '*' | '|') {
            clean.push('\\');
        }
        clean.push(c);
        after_word = c.is_alphanumeric();
        rest = &rest[c.len_utf8()..];
    }
    clean
}

/// The length of a span of code at the start, with its backticks.
fn code_span(text: &str) -> Option<usize> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == ticks && start > ticks {
            return Some(start + run);
        }
        at = start + run;
    }
    None
}

/// The length of a URL at the start, without the punctuation behind it.
fn url(text: &str) -> Option<usize> {
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|s| text.starts_with(s))?;
    let end = text.find(|c: char| c.is_whitespace() || "<>\"`\\|^{}[]".contains(c));
    let url = &text[..end.unwrap_or(text.len())];
    let mut url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
    // A parenthesis closes one that was opened before the URL, unless the URL opened it.
    while url.ends_with(')') && url.matches(')').count() > url.matches('(').count() {
        url = url[..url.len() - 1].trim_end_matches(['.', ',', ';', ':']);
    }
    (url.len() > scheme.len()).then_some(url.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustdoc_would_take_for_something_else_is_escaped() {
        for (text, expected) in [
            ("Plain.", "Plain."),
            ("see [docs] and <name>", "see \\[docs\\] and \\<name>"),
            ("`a[0]` and `b", "`a[0]` and \\`b"),
            ("``", "\\`\\`"),
            ("a \\[b", "a \\\\\\[b"),
            (
                "More info: https://a.b/c#d_e.",
                "More info: <https://a.b/c#d_e>.",
            ),
            ("(https://a.b/c(d)).", "(<https://a.b/c(d)>)."),
            ("[x](https://a.b)", "\\[x\\](<https://a.b>)"),
            ("xhttps://a", "xhttps://a"),
            ("https://", "https://"),
            ("    code\n\n\n\ttext", "code\n\ntext"),
            ("# one\n---\n> two", "\\# one\n\\---\n\\> two"),
            ("* one\n- two", "- one\n- two"),
            ("```yaml\n  a: [b]\n```\nend", "```text\na: [b]\n```\nend"),
            ("```\nopen", "```text\nopen\n```"),
            ("```x``` and", "```x``` and"),
            ("~~~", "~~~text\n~~~"),
            ("日本 <a>", "日本 \\<a>"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }
}
