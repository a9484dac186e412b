//! "Did you mean": the nearest known name to one that is not known.

/// The candidate nearest to `wrong`, letter case ignored, if it is near enough to be a slip; the first of equally near ones.
///
/// ```
/// assert_eq!(larder_codegen::nearest("aps", ["apps", "batch"]).as_deref(), Some("apps"));
/// assert_eq!(larder_codegen::nearest("storage", ["apps", "batch"]), None);
/// ```
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (wrong.chars().count() / 3).clamp(1, 4);
    let wrong: Vec<char> = wrong.chars().flat_map(char::to_lowercase).collect();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(wrong.len()) <= 4 * limit)
        .map(|candidate| (distance(&wrong, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// Levenshtein's distance, letter case ignored.
fn distance(wrong: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=wrong.len()).collect();
    for (line, c) in candidate.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        for (wrong_char, above) in wrong.iter().zip(row.iter_mut().skip(1)) {
            let cost = diagonal + usize::from(*wrong_char != c);
            diagonal = *above;
            left = cost.min(*above + 1).min(left + 1);
            *above = left;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_foreign_word_finds_none() {
        let names = ["string", "integer", "object", "boolean"];
        for (wrong, right) in [
            ("strng", Some("string")),
            ("String", Some("string")),
            ("intger", Some("integer")),
            ("boolaen", Some("boolean")),
            ("file", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, names).as_deref(), right, "{wrong:?}");
        }
    }

    #[test]
    fn distances_are_levenshteins() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
        ] {
            assert_eq!(distance(&chars(a), b), expected, "{a} {b}");
        }
    }
}
