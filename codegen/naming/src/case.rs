//! The rule of words, and keywords.

/// `name` in snake case, by k8s-openapi's rule for words.
///
/// An upper-case letter starts a word unless it stands inside a run of upper-case letters, where only the last one
/// before something that is not upper case does: `clusterIP` → `cluster_ip`, `HTTPGetAction` → `http_get_action`,
/// `stubPKCS10Request` → `stub_pkc_s10_request`. A plural of an abbreviation therefore splits in the wrong place;
/// those that occur are in [`FIELD_EXCEPTIONS`](crate::FIELD_EXCEPTIONS).
///
/// Beyond k8s-openapi, which never meets them: whatever cannot stand in an identifier becomes `_`, a letter outside
/// of ASCII its code point (`uXXXX`), a leading digit gets `_` in front, and a text without any letter or digit is
/// `empty`. The result may be a keyword: see [`escape_keyword`].
///
/// ```
/// use larder_naming::snake_case;
///
/// assert_eq!(snake_case("nodeName"), "node_name");
/// assert_eq!(snake_case("SELinuxOptions"), "se_linux_options");
/// assert_eq!(snake_case("cert-manager.io"), "cert_manager_io");
/// ```
#[must_use]
pub fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut after_upper = true;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_uppercase() {
            let ends_run = chars.peek().is_some_and(|next| !next.is_ascii_uppercase());
            if (!after_upper || ends_run) && !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        } else {
            push_plain(&mut snake, c);
        }
        after_upper = c.is_ascii_uppercase();
    }
    if snake.chars().all(|c| c == '_') {
        "empty".clone_into(&mut snake);
    }
    if snake.starts_with(|c: char| c.is_ascii_digit()) {
        snake.insert(0, '_');
    }
    snake
}

fn push_plain(snake: &mut String, c: char) {
    if c.is_ascii_alphanumeric() {
        snake.push(c);
    } else if c.is_alphanumeric() {
        snake.push_str(&format!("u{:x}", u32::from(c)));
    } else if c == '_' || !snake.is_empty() {
        snake.push('_');
    }
}

/// Whether a path of `field!` has the name of a property without quotes: ASCII letters, digits and `_`, and no digit in front.
///
/// ```
/// use larder_naming::is_plain;
///
/// assert!(is_plain("nodeName") && is_plain("_1"));
/// assert!(!is_plain("x-name") && !is_plain("1st") && !is_plain(""));
/// ```
#[must_use]
pub fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Adds `_` to a word that is a keyword of Rust (edition 2024), as k8s-openapi does: `type` → `type_`.
///
/// ```
/// use larder_naming::escape_keyword;
///
/// assert_eq!(escape_keyword("continue".into()), "continue_");
/// assert_eq!(escape_keyword("default".into()), "default");
/// ```
#[must_use]
pub fn escape_keyword(mut word: String) -> String {
    if KEYWORDS.contains(&word.as_str()) {
        word.push('_');
    }
    word
}

/// Strict and reserved keywords. Source: the Rust Reference, chapter "Keywords", edition 2024.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_k8s_openapi_splits_them() {
        for (name, snake) in [
            ("apiVersion", "api_version"),
            ("clusterIP", "cluster_ip"),
            ("openAPIV3Schema", "open_api_v3_schema"),
            ("stubPKCS10Request", "stub_pkc_s10_request"),
            ("fieldsV1", "fields_v1"),
            ("URLPath", "url_path"),
            ("x-Foo", "x_foo"),
            ("A", "a"),
            ("", "empty"),
            ("--", "empty"),
            ("1e", "_1e"),
            ("éa", "ue9a"),
        ] {
            assert_eq!(snake_case(name), snake, "{name:?}");
        }
    }
}
