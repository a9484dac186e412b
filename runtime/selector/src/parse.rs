//! The text of a selector.

use crate::names::{check_key, check_value};
use crate::{Invalid, Requirement, Test, Values};

/// The requirements of a selector's text, all of which must hold; none for a blank text.
///
/// Requirements are separated by commas: `key`, `!key`, `key=value`, `key==value`, `key!=value`, `key in (a, b)`,
/// `key notin (a, b)`, `key>1`, `key<1`. The same key may have several.
///
/// # Errors
///
/// What the API server would refuse, with its place.
pub fn parse(text: &str) -> Result<Vec<Requirement>, Invalid> {
    let mut cursor = Cursor { text, at: 0 };
    let mut requirements = Vec::new();
    cursor.skip_blanks();
    while !cursor.is_at_end() {
        requirements.push(cursor.requirement()?);
        if cursor.is_at_end() {
            break;
        }
        if !cursor.take(",") {
            return Err(cursor.refuse(format!(
                "expected ',' before {:?}: requirements are separated by commas",
                cursor.rest()
            )));
        }
        if cursor.is_at_end() {
            return Err(cursor.refuse("nothing follows the last ',': take it away"));
        }
    }
    Ok(requirements)
}

/// A place in the text, which no blank stands at.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// A part of the text, and where it begins.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    fn refuse(&self, problem: impl Into<String>) -> Invalid {
        Invalid::in_text(self.at, problem)
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(is_blank).len();
    }

    /// Whether this comes next, which is taken then.
    fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.rest().starts_with(symbol);
        if is_next {
            self.at += symbol.len();
            self.skip_blanks();
        }
        is_next
    }

    /// Everything up to the next character that means something; empty where one comes next.
    fn word(&mut self) -> Word<'a> {
        let (rest, at) = (self.rest(), self.at);
        let end = rest
            .find(|c| is_blank(c) || "!=,()<>".contains(c))
            .unwrap_or(rest.len());
        self.at += end;
        self.skip_blanks();
        let (text, _) = rest.split_at(end);
        Word { text, at }
    }

    fn requirement(&mut self) -> Result<Requirement, Invalid> {
        let is_absent = self.take("!");
        let key = self.word();
        check_key(key.text).map_err(|problem| Invalid::in_text(key.at, problem))?;
        let test = if is_absent {
            Test::Absent
        } else {
            self.test(key.text)?
        };
        Ok(Requirement::checked(key.text, test))
    }

    fn test(&mut self, key: &str) -> Result<Test, Invalid> {
        if self.is_at_end() || self.rest().starts_with(',') {
            return Ok(Test::Exists);
        }
        if self.take("==") || self.take("=") {
            return Ok(Test::In([self.value()?].into_iter().collect()));
        }
        if self.take("!=") {
            return Ok(Test::NotIn([self.value()?].into_iter().collect()));
        }
        if self.take(">") {
            return self.bound(key).map(Test::Greater);
        }
        if self.take("<") {
            return self.bound(key).map(Test::Less);
        }
        let operator = self.word();
        match operator.text {
            "in" => self.set(key).map(Test::In),
            "notin" => self.set(key).map(Test::NotIn),
            "" => Err(Invalid::in_text(
                operator.at,
                format!("an operator belongs after {key:?}: one of =, ==, !=, in, notin, < and >"),
            )),
            other => Err(Invalid::in_text(
                operator.at,
                format!("{other:?} after {key:?} is no operator: use =, ==, !=, in, notin, < or >"),
            )),
        }
    }

    fn value(&mut self) -> Result<&'a str, Invalid> {
        let value = self.word();
        check_value(value.text).map_err(|problem| Invalid::in_text(value.at, problem))?;
        Ok(value.text)
    }

    fn bound(&mut self, key: &str) -> Result<i64, Invalid> {
        let bound = self.word();
        // A sign makes it no label value, which the server wants it to be.
        let digits = Some(bound.text).filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
        digits.and_then(|text| text.parse().ok()).ok_or_else(|| {
            let problem = format!(
                "{key:?} is compared with {:?}: only an integer from 0 to {} can be here",
                bound.text,
                i64::MAX
            );
            Invalid::in_text(bound.at, problem)
        })
    }

    /// The values in parentheses; nothing between two of their commas is the empty value.
    fn set(&mut self, key: &str) -> Result<Values, Invalid> {
        if !self.take("(") {
            return Err(self.refuse(format!(
                "the values of {key:?} stand in '(' and ')': write `{key} in (a, b)`"
            )));
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            if self.take(")") {
                return Ok(values.into_iter().collect());
            }
            if !self.take(",") {
                return Err(self.refuse(format!(
                    "the values of {key:?} are separated by ',' and end with ')'"
                )));
            }
        }
    }
}

/// What the server takes for a blank.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests;
