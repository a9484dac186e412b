//! Selectors as kubectl takes them, read as queries.

use std::fmt;
use std::ops::Deref;

use super::Query;
use crate::kept::{Kept, KeptFields};
use crate::selector::requirements::{self, Malformed, Requirement};
use crate::selector::{InvalidSelector, KeyTest, LabelSelector, Part, character};
use crate::store::{LABELS, OWNERS, Snapshot, State};

/// A text that names no query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidQuery {
    /// The label selector does not parse.
    #[error(transparent)]
    Labels(#[from] InvalidSelector),
    /// The field selector does not parse.
    #[error("field selector {selector:?}: at character {}: {problem}", character(selector, *at))]
    Syntax {
        /// The text.
        selector: String,
        /// Where it does not parse, in bytes from its beginning.
        at: usize,
        /// Why.
        problem: String,
    },
    /// A field that no text may name.
    #[error(
        "field selector {selector:?}: at character {}: {field:?} cannot be named{}; what can: {}. Add an index on it, or select by `field!`",
        character(selector, *at), Near(near.as_deref()), names.join(", ")
    )]
    UnknownField {
        /// The text.
        selector: String,
        /// Where the field stands, in bytes from the text's beginning.
        at: usize,
        /// The field.
        field: String,
        /// What may have been meant.
        near: Option<String>,
        /// Everything that a text may name: the fields by which the server selects, and the paths of the informer's indexes.
        names: Vec<String>,
    },
    /// The value is none that objects could have there.
    #[error(
        "field selector {selector:?}: at character {}: {value:?} is no value of {field}, or its values cannot be written as text: select by `field!`",
        character(selector, *at)
    )]
    Value {
        /// The text.
        selector: String,
        /// Where the field stands, in bytes from the text's beginning.
        at: usize,
        /// The field.
        field: String,
        /// The value.
        value: String,
    },
}

struct Near<'a>(Option<&'a str>);

impl fmt::Display for Near<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, " (did you mean {name:?}?)"),
            None => Ok(()),
        }
    }
}

/// What texts may name beside name and namespace.
pub(super) trait Names<T> {
    /// The objects whose field has the value that is written so.
    fn equal(&self, field: &str, value: &str) -> Named<T>;
    /// Every name that there is.
    fn all(&self) -> Vec<String>;
}

/// What a field and a value mean.
pub(super) enum Named<T> {
    /// These objects.
    Query(Query<T>),
    /// The field has no such value.
    NoValue,
    /// There is no such field.
    Unknown,
}

/// What is stored behind the pointer.
type Object<R> = <<R as Kept>::Stored as Deref>::Target;

/// The fields by which the server selects the kind, read as the server does, and the indexes that there are now.
impl<R: KeptFields> Names<Object<R>> for State<R> {
    fn equal(&self, field: &str, value: &str) -> Named<Object<R>> {
        let selectable = R::FIELDS.iter().find(|known| known.path() == field);
        if let Some(known) = selectable {
            return match known.can_be(value) {
                true => Named::Query(known.eq(value).into()),
                false => Named::NoValue,
            };
        }
        let mut indexes = self
            .with_path()
            .filter(|(path, _)| *path == field)
            .peekable();
        if indexes.peek().is_none() {
            return Named::Unknown;
        }
        let query = indexes.find_map(|(_, index)| index.query(value));
        match query {
            Some(query) => Named::Query(query),
            // Whether a built-in index was used yet makes no difference.
            None if is_built_in(field) => Named::Unknown,
            None => Named::NoValue,
        }
    }

    fn all(&self) -> Vec<String> {
        let selectable = R::FIELDS.iter().map(|known| known.path());
        let indexes = self.with_path().filter(|(path, index)| {
            let has_values = !is_built_in(path) || index.query("").is_some();
            has_values && can_be_written(path)
        });
        let indexes = indexes.map(|(path, _)| path);
        selectable.chain(indexes).map(str::to_owned).collect()
    }
}

/// Of the built-in indexes, those that no text names by themselves.
fn is_built_in(path: &str) -> bool {
    [LABELS, OWNERS].contains(&path)
}

/// Whether a text can name a path at all: not one that has a comma in it, as that of two fields at once.
fn can_be_written(path: &str) -> bool {
    let text = format!("{path}=");
    let read = requirements::parse(&text);
    read.is_ok_and(|read| matches!(&*read, [one] if one.field == path))
}

impl<R: KeptFields> Snapshot<R> {
    /// The query that a field selector's text means.
    pub(crate) fn fields(&self, text: &str) -> Result<Query<Object<R>>, InvalidQuery> {
        fields(text, &**self.state())
    }

    /// The query that both kinds of text mean.
    pub(crate) fn query(&self, labels: &str, text: &str) -> Result<Query<Object<R>>, InvalidQuery> {
        labels_and_fields(labels, text, &**self.state())
    }
}

/// The query that a field selector's text means.
pub(super) fn fields<T>(text: &str, names: &dyn Names<T>) -> Result<Query<T>, InvalidQuery> {
    let written = requirements::parse(text).map_err(|malformed| syntax(text, &malformed))?;
    let parts = written.iter().map(|one| requirement(text, one, names));
    Ok(Query::all(parts.collect::<Result<Vec<_>, _>>()?))
}

/// Both kinds of text.
pub(super) fn labels_and_fields<T>(
    labels: &str,
    text: &str,
    names: &dyn Names<T>,
) -> Result<Query<T>, InvalidQuery> {
    let labels: LabelSelector = labels.parse()?;
    Ok(fields(text, names)?.and(labels))
}

fn syntax(text: &str, malformed: &Malformed) -> InvalidQuery {
    InvalidQuery::Syntax {
        selector: text.to_owned(),
        at: malformed.at,
        problem: malformed.to_string(),
    }
}

fn requirement<T>(
    text: &str,
    written: &Requirement<'_>,
    names: &dyn Names<T>,
) -> Result<Query<T>, InvalidQuery> {
    let Requirement {
        field,
        at,
        equal,
        value,
    } = written;
    if let Some(part) = Part::of_path(field) {
        return Ok(Query::keyed(KeyTest {
            part,
            equal: *equal,
            value: value.as_str().into(),
        }));
    }
    match names.equal(field, value) {
        Named::Query(query) if *equal => Ok(query),
        Named::Query(query) => Ok(!query),
        Named::NoValue => Err(InvalidQuery::Value {
            selector: text.to_owned(),
            at: *at,
            field: (*field).to_owned(),
            value: value.clone(),
        }),
        Named::Unknown => Err(unknown(text, field, *at, names.all())),
    }
}

fn unknown(text: &str, field: &str, at: usize, mut names: Vec<String>) -> InvalidQuery {
    names.extend(Part::ALL.map(|part| part.path().to_owned()));
    names.sort_unstable();
    names.dedup();
    InvalidQuery::UnknownField {
        selector: text.to_owned(),
        at,
        field: field.to_owned(),
        near: near(field, &names),
        names,
    }
}

/// The name that is most like this one, if it is like it at all; or the one that it is the end of.
fn near(field: &str, names: &[String]) -> Option<String> {
    let wanted = field.to_lowercase();
    let ends = |name: &&String| {
        let name = name.to_lowercase();
        name.strip_suffix(&wanted)
            .is_some_and(|start| start.ends_with('.'))
    };
    if let Some(name) = names.iter().find(ends) {
        return Some(name.clone());
    }
    let distance = |name: &&String| strsim::osa_distance(&name.to_lowercase(), &wanted);
    let nearest = names.iter().min_by_key(distance)?;
    let bearable = field.chars().count() / 3;
    (distance(&nearest) <= bearable).then(|| nearest.clone())
}
