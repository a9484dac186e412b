//! Compares two transcripts of one case, step by step.

use std::fmt;

/// A step whose answer is another than the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The step's heading, with its number.
    pub step: String,
    /// What the real server did, by the recording.
    pub recorded: String,
    /// What the server under comparison did.
    pub seen: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "### {}", self.step)?;
        let (recorded, seen): (Vec<_>, Vec<_>) =
            (self.recorded.lines().collect(), self.seen.lines().collect());
        let same_start = recorded
            .iter()
            .zip(&seen)
            .take_while(|(a, b)| a == b)
            .count();
        let (recorded_rest, seen_rest) = (&recorded[same_start..], &seen[same_start..]);
        let same_end = recorded_rest
            .iter()
            .rev()
            .zip(seen_rest.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        // The request says what this is about, whatever else is the same.
        for line in recorded.iter().take(same_start) {
            writeln!(out, "  {line}")?;
        }
        for line in &recorded_rest[..recorded_rest.len() - same_end] {
            writeln!(out, "- {line}")?;
        }
        for line in &seen_rest[..seen_rest.len() - same_end] {
            writeln!(out, "+ {line}")?;
        }
        Ok(())
    }
}

/// The steps at which a transcript differs from the recording. A step that is only in one of them differs from an empty one.
pub fn differences(recorded: &str, seen: &str) -> Vec<Difference> {
    let (recorded, seen) = (steps(recorded), steps(seen));
    let missing = ("", "");
    let pairs = (0..recorded.len().max(seen.len())).map(|index| {
        (
            *recorded.get(index).unwrap_or(&missing),
            *seen.get(index).unwrap_or(&missing),
        )
    });
    let different = pairs.filter(|(recorded, seen)| recorded != seen);
    different
        .map(|((heading, recorded), (other_heading, seen))| Difference {
            step: if heading.is_empty() {
                other_heading
            } else {
                heading
            }
            .to_owned(),
            recorded: recorded.to_owned(),
            seen: seen.to_owned(),
        })
        .collect()
}

/// The headings and texts of a transcript's steps.
fn steps(transcript: &str) -> Vec<(&str, &str)> {
    let parts = transcript
        .split("\n### ")
        .map(|part| part.strip_prefix("### ").unwrap_or(part));
    parts
        .map(|part| part.split_once('\n').unwrap_or((part, "")))
        .map(|(head, text)| (head, text.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &str =
        "### 1. get\n\nGET /a\n\nHTTP 200\nx\n\n### 2. put\n\nPUT /a\n\nHTTP 409\n{\n1\n}\n";

    #[test]
    fn the_same_has_no_differences() {
        assert_eq!(differences(RECORDED, RECORDED), []);
    }

    #[test]
    fn a_difference_shows_its_request_and_the_lines_that_differ() {
        let seen = RECORDED.replace("HTTP 409\n{\n1", "HTTP 409\n{\n2");
        let found = differences(RECORDED, &seen);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "### 2. put\n  PUT /a\n  \n  HTTP 409\n  {\n- 1\n+ 2\n"
        );
    }

    #[test]
    fn a_missing_step_is_a_difference() {
        let shorter = RECORDED.split("\n### 2").next().unwrap();
        let found = differences(RECORDED, shorter);
        assert_eq!(
            (found.len(), found[0].step.as_str(), found[0].seen.as_str()),
            (1, "2. put", "")
        );
    }
}
