//! "Did you mean": the nearest known name to one that is not known.

/// The candidate nearest to `wrong`, letter case ignored, if it is near enough to be a slip; the first of equally near ones.
///
/// ```
/// assert_eq!(larder_codegen::inspect::nearest("aps", ["apps", "batch"]).as_deref(), Some("apps"));
/// assert_eq!(larder_codegen::inspect::nearest("storage", ["apps", "batch"]), None);
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

/// Levenshtein's distance, in which two neighbours that changed places are one slip; letter case ignored.
fn distance(wrong: &[char], candidate: &str) -> usize {
    let candidate: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=wrong.len()).collect();
    for (line, c) in candidate.iter().enumerate() {
        let mut row = vec![line + 1];
        for (at, wrong_char) in wrong.iter().enumerate() {
            let changed = above[at] + usize::from(wrong_char != c);
            let mut least = changed.min(above[at + 1] + 1).min(row[at] + 1);
            let swapped =
                line > 0 && at > 0 && *c == wrong[at - 1] && candidate[line - 1] == *wrong_char;
            if swapped {
                least = least.min(before[at - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or_default()
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
            ("obejct", Some("object")),
            ("file", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, names).as_deref(), right, "{wrong:?}");
        }
    }

    #[test]
    fn distances_are_levenshteins_with_neighbours_that_changed_places() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("sepc", "spec", 1),
            ("unti", "unit", 1),
            ("ba", "ab", 1),
            ("cab", "abc", 2),
            ("abcd", "badc", 2),
        ] {
            assert_eq!(distance(&chars(a), b), expected, "{a} {b}");
        }
    }
}
