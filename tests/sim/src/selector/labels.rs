//! Label selectors: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, `a>1`, `a<1`, joined by commas.
//!
//! An absent label satisfies `!=` and `notin`, as the server has it. The grammar and the words of its refusals are those of
//! `labels.Parse` of apimachinery 1.37.

use super::{
    lexer::{Lexer, Token},
    names::{label_problem, value_problem},
};
use crate::status::Status;

/// A parsed label selector; the empty one matches everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    label: Box<str>,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Absent,
    In(Vec<Box<str>>),
    NotIn(Vec<Box<str>>),
    Greater(i64),
    Less(i64),
}

impl LabelSelector {
    pub(crate) fn parse(text: &str) -> Result<Self, Status> {
        let requirements = parse(&mut Lexer::new(text)).map_err(Status::bad_request)?;
        Ok(Self { requirements })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    pub(crate) fn matches(&self, labels: &[(Box<str>, Box<str>)]) -> bool {
        self.requirements
            .iter()
            .all(|requirement| requirement.matches(labels))
    }
}

impl Requirement {
    fn matches(&self, labels: &[(Box<str>, Box<str>)]) -> bool {
        let value = labels
            .iter()
            .find(|(label, _)| *label == self.label)
            .map(|(_, value)| value);
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In(values) => value.is_some_and(|value| values.contains(value)),
            Operator::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Operator::Greater(bound) => number().is_some_and(|number| number > *bound),
            Operator::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

fn parse(words: &mut Lexer<'_>) -> Result<Vec<Requirement>, String> {
    let mut requirements = Vec::new();
    match words.peek_value() {
        (Token::End, _) => return Ok(requirements),
        (Token::Identifier | Token::Not, _) => {}
        (_, found) => {
            return Err(format!(
                "found '{found}', expected: !, identifier, or 'end of string'"
            ));
        }
    }
    loop {
        let requirement = requirement(words);
        requirements
            .push(requirement.map_err(|why| format!("unable to parse requirement: {why}"))?);
        match words.take_value() {
            (Token::End, _) => return Ok(requirements),
            (Token::Comma, _) => {}
            (_, found) => {
                return Err(format!("found '{found}', expected: ',' or 'end of string'"));
            }
        }
        let (next, found) = words.peek_value();
        if !matches!(next, Token::Identifier | Token::Not) {
            return Err(format!("found '{found}', expected: identifier after ','"));
        }
    }
}

fn requirement(words: &mut Lexer<'_>) -> Result<Requirement, String> {
    let is_negated = words.peek_value().0 == Token::Not;
    if is_negated {
        words.take_value();
    }
    let (token, label) = words.take_value();
    if token != Token::Identifier {
        return Err(format!("found '{label}', expected: identifier"));
    }
    if let Some(problem) = label_problem(label) {
        return Err(format!("<nil>: Invalid value: {label:?}: {problem}"));
    }
    let operator = if is_negated {
        Operator::Absent
    } else if matches!(words.peek_value().0, Token::End | Token::Comma) {
        Operator::Exists
    } else {
        comparison(words, label)?
    };
    Ok(Requirement {
        label: label.into(),
        operator,
    })
}

/// An operator with what it compares with.
fn comparison(words: &mut Lexer<'_>, label: &str) -> Result<Operator, String> {
    let (operator, found) = words.take();
    let values = match operator {
        Token::In | Token::NotIn => value_list(words)?,
        Token::Equal | Token::Unequal | Token::Greater | Token::Less => vec![one_value(words)?],
        _ => {
            return Err(format!(
                "found '{found}', expected: in, notin, =, ==, !=, gt, lt"
            ));
        }
    };
    if matches!(operator, Token::Greater | Token::Less) {
        let value = values.first().copied().unwrap_or_default();
        let bound = value.parse().map_err(|_| {
            format!(
                "values[0]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"
            )
        })?;
        return Ok(if operator == Token::Greater {
            Operator::Greater(bound)
        } else {
            Operator::Less(bound)
        });
    }
    for (at, value) in values.iter().enumerate() {
        if let Some(problem) = value_problem(value) {
            return Err(format!(
                "values[{at}][{label}]: Invalid value: {value:?}: {problem}"
            ));
        }
    }
    let values = values.into_iter().map(Box::from).collect();
    Ok(match operator {
        Token::In | Token::Equal => Operator::In(values),
        _ => Operator::NotIn(values),
    })
}

/// The value after `=` and its like; nothing is the empty value.
fn one_value<'a>(words: &mut Lexer<'a>) -> Result<&'a str, String> {
    if matches!(words.peek_value().0, Token::End | Token::Comma) {
        return Ok("");
    }
    match words.take_value() {
        (Token::Identifier, value) => Ok(value),
        (_, found) => Err(format!("found '{found}', expected: identifier")),
    }
}

/// The values in parentheses; where there is nothing between two commas, it is the empty value.
fn value_list<'a>(words: &mut Lexer<'a>) -> Result<Vec<&'a str>, String> {
    let (token, found) = words.take_value();
    if token != Token::Open {
        return Err(format!("found '{found}' expected: '('"));
    }
    match words.peek_value() {
        (Token::Identifier | Token::Comma, _) => {}
        (Token::Close, _) => {
            return Err(
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
                    .to_owned(),
            );
        }
        (_, found) => return Err(format!("found '{found}', expected: ',', ')' or identifier")),
    }
    let mut values = Vec::new();
    loop {
        let mut value = "";
        if words.peek_value().0 == Token::Identifier {
            value = words.take_value().1;
        }
        values.push(value);
        match words.take_value() {
            (Token::Comma, _) => {}
            (Token::Close, _) => return Ok(values),
            (_, found) => return Err(format!("found '{found}', expected: ',' or ')'")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LabelSelector;

    fn matches(selector: &str, labels: &[(&str, &str)]) -> Option<bool> {
        let labels: Vec<(Box<str>, Box<str>)> = labels
            .iter()
            .map(|&(label, value)| (label.into(), value.into()))
            .collect();
        LabelSelector::parse(selector)
            .ok()
            .map(|selector| selector.matches(&labels))
    }

    #[test]
    fn operators() {
        let web = &[
            ("app", "web"),
            ("tier", "front"),
            ("example.com/x", ""),
            ("count", "5"),
        ][..];
        for (selector, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web", true),
            ("app = web", true),
            ("app=db", false),
            ("app!=db", true),
            ("app!=web", false),
            ("absent!=x", true),
            ("app", true),
            ("!app", false),
            ("!absent", true),
            ("absent", false),
            ("app in (web,db)", true),
            ("app in (db)", false),
            ("absent in (db)", false),
            ("app notin (db)", true),
            ("absent notin (db)", true),
            ("app notin (web)", false),
            ("app=web,tier=front", true),
            ("app=web,tier in (back),x", false),
            ("tier=in", false),
            ("app in (,db)", false),
            ("example.com/x in (a,)", true),
            ("count>4", true),
            ("count > 5", false),
            ("count<6", true),
            ("count<5", false),
            ("app>1", false),
            ("absent<1", false),
            ("example.com/x=", true),
            ("example.com/x", true),
        ] {
            assert_eq!(matches(selector, web), Some(expected), "{selector}");
        }
    }

    #[test]
    fn nonsense_is_refused_in_the_words_of_the_server() {
        for (selector, expected) in [
            (
                "=",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            ("app=web,", "found '', expected: identifier after ','"),
            (
                ",",
                "found ',', expected: !, identifier, or 'end of string'",
            ),
            (
                "app in web",
                "unable to parse requirement: found 'web' expected: '('",
            ),
            (
                "app in (web",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "app in ()",
                "unable to parse requirement: values: Invalid value: []",
            ),
            (
                "app in (=",
                "unable to parse requirement: found '=', expected: ',', ')' or identifier",
            ),
            (
                "app)",
                "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "app of (web)",
                "unable to parse requirement: found 'of', expected: in, notin",
            ),
            ("app=b c", "found 'c', expected: ',' or 'end of string'"),
            (
                "app=(",
                "unable to parse requirement: found '(', expected: identifier",
            ),
            (
                "app=ü",
                "unable to parse requirement: values[0][app]: Invalid value: \"ü\": a valid label must be",
            ),
            (
                "app>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators",
            ),
            (
                "/x",
                "unable to parse requirement: <nil>: Invalid value: \"/x\": prefix part must be non-empty",
            ),
            (
                "!",
                "unable to parse requirement: found '', expected: identifier",
            ),
            ("!app=x", "found '=', expected: ',' or 'end of string'"),
        ] {
            let refusal = LabelSelector::parse(selector).err();
            let message = refusal.map(|status| status.message).unwrap_or_default();
            assert!(message.starts_with(expected), "{selector}: {message}");
        }
    }
}
