//! What keys and values of labels may be: the API concepts page "Labels and Selectors".

/// Letters, digits, `-`, `_` and `.`; at most 63, and a letter or digit at both ends.
fn is_name(text: &str) -> bool {
    let ends = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && ends(text.chars().next())
        && ends(text.chars().last())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// RFC 1123: labels of lower-case letters, digits and `-`, joined by dots.
fn is_subdomain(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_label = |label: &str| {
        label.starts_with(inner)
            && label.ends_with(inner)
            && label.chars().all(|c| inner(c) || c == '-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// What is wrong with a key.
pub(crate) fn check_key(key: &str) -> Result<(), String> {
    if key.is_empty() {
        return Err("a label key is missing here".into());
    }
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if is_name(name) && prefix.is_none_or(is_subdomain) {
        return Ok(());
    }
    Err(format!(
        "{key:?} is no label key: that is a name of at most 63 letters, digits, '-', '_' and '.' with a letter or digit at both \
         ends, where needed behind a lower-case DNS name and '/'"
    ))
}

/// What is wrong with a value.
pub(crate) fn check_value(value: &str) -> Result<(), String> {
    if value.is_empty() || is_name(value) {
        return Ok(());
    }
    Err(format!(
        "{value:?} is no label value: that is empty, or at most 63 letters, digits, '-', '_' and '.' with a letter or digit at \
         both ends"
    ))
}
