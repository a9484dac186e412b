//! JSON values that know where they stand, so that every complaint can say so.

use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::suggest::nearest;

/// Parses the bytes of a file.
pub(crate) fn parse(file: &Path, bytes: &[u8]) -> Result<Value, Errors> {
    serde_json::from_slice(bytes).map_err(|e| Error::at_file(file, Problem::Json(e)).into())
}

/// A value and its place.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    pub(crate) value: &'a Value,
    file: &'a Path,
    within: Option<Rc<str>>,
    step: Option<Rc<Step<'a>>>,
}

/// One step on the way from the root; the text of a path is made only for an error.
struct Step<'a> {
    before: Option<Rc<Step<'a>>>,
    name: StepName<'a>,
}

enum StepName<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Node<'a> {
    pub(crate) fn root(file: &'a Path, value: &'a Value) -> Self {
        Self {
            value,
            file,
            within: None,
            step: None,
        }
    }

    /// The same node, of which errors also say what part of the file it belongs to.
    pub(crate) fn within(self, part: &str) -> Self {
        Self {
            within: Some(part.into()),
            ..self
        }
    }

    fn child(&self, name: StepName<'a>, value: &'a Value) -> Self {
        let before = self.step.clone();
        Self {
            value,
            file: self.file,
            within: self.within.clone(),
            step: Some(Rc::new(Step { before, name })),
        }
    }

    pub(crate) fn place(&self) -> Place {
        let mut names = Vec::new();
        let mut step = self.step.as_ref();
        while let Some(at) = step {
            names.push(&at.name);
            step = at.before.as_ref();
        }
        let mut path = String::new();
        for name in names.into_iter().rev() {
            name.append_to(&mut path);
        }
        Place::inside(self.file, self.within.as_deref().unwrap_or_default(), path)
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        Error::new(self.place(), problem)
    }

    fn expected(&self, expected: &'static str) -> Error {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.error(Problem::Expected { expected, found })
    }

    /// That `expected` belongs here instead of `found`.
    pub(crate) fn unexpected(&self, expected: &'static str, found: &'static str) -> Error {
        self.error(Problem::Expected { expected, found })
    }

    fn object(&self) -> Option<&'a Map<String, Value>> {
        self.value.as_object()
    }

    /// The member `key`, if this is an object that has it. Null is as good as nothing, as it is for the API server.
    pub(crate) fn get(&self, key: &'a str) -> Option<Self> {
        let value = self.object()?.get(key).filter(|v| !v.is_null())?;
        Some(self.child(StepName::Key(key), value))
    }

    /// The member `key`; missing is an error.
    pub(crate) fn require(
        &self,
        key: &'a str,
        expected: &'static str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let found = self.get(key);
        if found.is_none() {
            diagnostics.push(self.missing(key, expected));
        }
        found
    }

    /// That there is no such member, or that it is misspelt.
    fn missing(&self, key: &'a str, expected: &'static str) -> Error {
        let members = self.object().into_iter().flatten();
        // Of a word of few letters any other is a neighbour.
        let mut misspelt =
            members.filter(|(other, _)| key.len() > 3 && nearest(other, [key]).is_some());
        if let Some((other, value)) = misspelt.next() {
            let problem = Problem::Unknown {
                what: "key that is read here",
                word: other.clone(),
                suggestion: Some(key.to_owned()),
            };
            return self.child(StepName::Key(other), value).error(problem);
        }
        let missing = self.child(StepName::Key(key), &Value::Null);
        let found = "nothing";
        missing.error(Problem::Expected { expected, found })
    }

    /// The members in the order of their keys; anything but an object is an error.
    pub(crate) fn members(&self, diagnostics: &mut Diagnostics) -> Vec<(&'a str, Self)> {
        let Some(object) = self.object() else {
            diagnostics.push(self.expected("an object"));
            return Vec::new();
        };
        let member =
            |(key, value): (&'a String, _)| (key.as_str(), self.child(StepName::Key(key), value));
        let mut members: Vec<_> = object.iter().map(member).collect();
        members.sort_by_key(|(key, _)| *key);
        members
    }

    /// The values of the members or elements, in the order of their keys; none of what is neither object nor array.
    pub(crate) fn values(&self) -> Vec<Self> {
        match self.value {
            Value::Object(_) => {
                let members = self.members(&mut Diagnostics::default());
                members.into_iter().map(|(_, member)| member).collect()
            }
            Value::Array(_) => self.elements(&mut Diagnostics::default()),
            _ => Vec::new(),
        }
    }

    /// The elements; anything but an array is an error.
    pub(crate) fn elements(&self, diagnostics: &mut Diagnostics) -> Vec<Self> {
        let Some(array) = self.value.as_array() else {
            diagnostics.push(self.expected("an array"));
            return Vec::new();
        };
        let element = |(at, value)| self.child(StepName::Index(at), value);
        array.iter().enumerate().map(element).collect()
    }

    /// The elements of the member `key`; none where it is absent.
    pub(crate) fn elements_of(&self, key: &'a str, diagnostics: &mut Diagnostics) -> Vec<Self> {
        let array = self.get(key);
        array.map_or_else(Vec::new, |array| array.elements(diagnostics))
    }

    /// The boolean; anything else is an error.
    pub(crate) fn boolean(&self, diagnostics: &mut Diagnostics) -> Option<bool> {
        let boolean = self.value.as_bool();
        if boolean.is_none() {
            diagnostics.push(self.expected("a boolean"));
        }
        boolean
    }

    /// The text; anything but a string is an error.
    pub(crate) fn text(&self, diagnostics: &mut Diagnostics) -> Option<&'a str> {
        let text = self.value.as_str();
        if text.is_none() {
            diagnostics.push(self.expected("a string"));
        }
        text
    }

    /// The text of the member `key`, if there is one.
    pub(crate) fn text_of(&self, key: &'a str, diagnostics: &mut Diagnostics) -> Option<&'a str> {
        self.get(key)?.text(diagnostics)
    }

    /// One of `words`, given with what they mean; another word is an error.
    pub(crate) fn word<T: Copy>(
        &self,
        what: &'static str,
        words: &[(&'static str, T)],
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        let text = self.text(diagnostics)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let suggestion = nearest(text, words.iter().map(|(word, _)| *word));
            let word = text.to_owned();
            diagnostics.push(self.error(Problem::Unknown {
                what,
                word,
                suggestion,
            }));
        }
        found.map(|(_, meaning)| *meaning)
    }
}

impl StepName<'_> {
    fn append_to(&self, path: &mut String) {
        match self {
            Self::Index(index) => path.push_str(&format!("[{index}]")),
            Self::Key(key) if is_plain(key) && path.is_empty() => path.push_str(key),
            Self::Key(key) if is_plain(key) => {
                path.push('.');
                path.push_str(key);
            }
            Self::Key(key) => path.push_str(&format!("[{key:?}]")),
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-$".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_name_keys_and_indexes() {
        let value = serde_json::json!({"a": {"b.c": [1, {"d": true}]}});
        let root = Node::root(Path::new("doc.json"), &value);
        let mut diagnostics = Diagnostics::default();
        let array = root.get("a").and_then(|a| a.get("b.c")).unwrap();
        let elements = array.elements(&mut diagnostics);
        let deep = elements[1].get("d").unwrap();
        assert_eq!(deep.place().to_string(), "doc.json: a[\"b.c\"][1].d");
        assert_eq!(deep.text(&mut diagnostics), None);
        assert!(
            root.require("e", "an object", &mut diagnostics).is_none(),
            "missing"
        );
        let errors = diagnostics.finish(()).unwrap_err();
        assert_eq!(
            errors.to_string(),
            "doc.json: a[\"b.c\"][1].d: expected a string, found a boolean\n\
             doc.json: e: expected an object, found nothing"
        );
    }
}
