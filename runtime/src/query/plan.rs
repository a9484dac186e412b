//! Which indexes a query is answered from.
//!
//! A way is a union of postings that has every object which the query selects, and maybe others. Of what must all hold, the way with the
//! fewest objects is gone, and the rest is tested on each of these; of what is joined by "or", each part needs a way. Where there is none,
//! all objects are tested. Always true: the way is chosen and gone in one state.

use std::any::{Any, TypeId};
use std::iter;

use super::field::FieldTest;
use super::{NAMESPACE, Node, Query};
use crate::kept::Kept;
use crate::selector::{FieldRequirement, KeyTest, LabelSelector, Part, Reads, parsed};
use crate::store::{IndexKey, LABELS, Posting, Postings, State};

/// What a state has to find objects by, whatever is kept.
pub(super) trait Indexes {
    /// How many objects there are.
    fn objects(&self) -> usize;
    fn in_namespace(&self, namespace: &str) -> Option<&Posting>;
    /// The objects of a name: in one namespace, or in any.
    fn named(&self, name: &str, namespace: Option<&str>) -> Vec<Posting>;
    /// The postings of the first index over a path, if they are of this type.
    fn postings(&self, path: &str, of: TypeId) -> Option<&dyn Any>;
}

impl<R: Kept> Indexes for State<R> {
    fn objects(&self) -> usize {
        self.len()
    }

    fn in_namespace(&self, namespace: &str) -> Option<&Posting> {
        self.namespaces().get(namespace).map(|(_, posting)| posting)
    }

    fn named(&self, name: &str, namespace: Option<&str>) -> Vec<Posting> {
        let in_all = self.namespaces().iter().map(|(namespace, _)| &**namespace);
        let namespaces: Vec<Option<&str>> = match namespace {
            Some(_) => vec![namespace],
            None => in_all.map(Some).chain([None]).collect(),
        };
        let ids = namespaces
            .into_iter()
            .filter_map(|namespace| self.find(namespace, name));
        ids.map(Posting::One).collect()
    }

    fn postings(&self, path: &str, of: TypeId) -> Option<&dyn Any> {
        self.postings_of(path, of)
    }
}

impl dyn Indexes + '_ {
    fn by_path<K: IndexKey>(&self, path: &str) -> Option<&Postings<K>> {
        self.postings(path, TypeId::of::<Postings<K>>())?
            .downcast_ref()
    }
}

/// Numbers of objects that an index has under some keys.
#[derive(Default)]
pub(super) struct Found {
    pub(super) postings: Vec<Posting>,
    /// How many they are at most.
    pub(super) count: usize,
    /// Whether an object may be in several of the postings.
    pub(super) repeats: bool,
}

impl Found {
    /// Those of an index that have one of these keys.
    pub(super) fn under<K: IndexKey>(
        indexes: &dyn Indexes,
        path: &str,
        keys: &[K],
    ) -> Option<Self> {
        let index = indexes.by_path::<K>(path)?;
        let found = keys.iter().filter_map(|key| index.get(key));
        Some(Self::of(
            found.map(|(_, posting)| posting.clone()).collect(),
            index.has_several(),
        ))
    }

    /// All of an index, if they are not more than so many.
    pub(super) fn all<K: IndexKey>(indexes: &dyn Indexes, path: &str, most: usize) -> Option<Self> {
        let index = indexes.by_path::<K>(path)?;
        let mut count = 0;
        let mut postings = Vec::new();
        for (_, posting) in index.iter() {
            count += posting.len();
            if count > most {
                return None;
            }
            postings.push(posting.clone());
        }
        Some(Self::of(postings, index.has_several()))
    }

    fn of(postings: Vec<Posting>, several: bool) -> Self {
        Self {
            count: postings.iter().map(Posting::len).sum(),
            repeats: several && postings.len() > 1,
            postings,
        }
    }
}

/// A way to the objects that a query selects.
pub(super) struct Way<'a, T> {
    pub(super) found: Found,
    /// Whether the query selects all of these.
    exact: bool,
    /// Which indexes it goes through.
    pub(super) steps: Vec<Step<'a, T>>,
}

/// An index and what it is asked for.
pub(super) struct Step<'a, T> {
    pub(super) index: &'a str,
    pub(super) part: &'a Query<T>,
    pub(super) objects: usize,
}

/// How a query is answered: the way, `None` for all objects, and what is tested on each.
pub(super) struct Planned<'a, T> {
    pub(super) way: Option<Way<'a, T>>,
    pub(super) tests: Vec<&'a Query<T>>,
}

/// Plans a query.
pub(super) fn plan<'a, T>(query: &'a Query<T>, indexes: &dyn Indexes) -> Planned<'a, T> {
    let parts = query.conjuncts();
    let chosen = fewest(parts, indexes, indexes.objects());
    let known = chosen
        .as_ref()
        .and_then(|(at, way)| way.exact.then_some(*at));
    let unknown = |(at, _): &(usize, &'a Query<T>)| Some(*at) != known;
    Planned {
        tests: parts
            .iter()
            .enumerate()
            .filter(unknown)
            .map(|(_, part)| part)
            .collect(),
        way: chosen.map(|(_, way)| way),
    }
}

/// Of what must all hold, the part that has the way with the fewest objects.
fn fewest<'a, T>(
    parts: &'a [Query<T>],
    indexes: &dyn Indexes,
    most: usize,
) -> Option<(usize, Way<'a, T>)> {
    let namespace = parts.iter().find_map(Query::namespace);
    let mut best: Option<(usize, Way<'a, T>)> = None;
    for (at, part) in parts.iter().enumerate() {
        let most = match &best {
            Some((_, way)) => match way.found.count.checked_sub(1) {
                Some(fewer) => fewer,
                None => break,
            },
            None => most,
        };
        let way = way(part, indexes, namespace, most);
        best = way.map(|way| (at, way)).or(best);
    }
    best
}

/// The way to what one part selects, if it has not more objects than `most`. They may be limited to `namespace`.
fn way<'a, T>(
    part: &'a Query<T>,
    indexes: &dyn Indexes,
    namespace: Option<&str>,
    most: usize,
) -> Option<Way<'a, T>> {
    let way = match &*part.0 {
        Node::All(parts) => {
            let (_, way) = fewest(parts, indexes, most)?;
            Way {
                exact: way.exact && parts.len() == 1,
                ..way
            }
        }
        Node::Any(parts) => union(parts, indexes, namespace, most)?,
        Node::Not(_) => return None,
        Node::Field(test) => by_field(part, &**test, indexes, most)?,
        Node::Key(test) => part.by(test.part.path(), by_key(test, indexes, namespace)?, true),
        Node::Labels(selector) => {
            let (found, exact) = by_labels(selector, indexes)?;
            part.by(LABELS, found, exact)
        }
        Node::Server(requirement) => {
            let (path, found) = as_server(requirement, indexes)?;
            part.by(path, found, !path.contains('['))
        }
    };
    (way.found.count <= most).then_some(way)
}

impl<T> Query<T> {
    fn by<'a>(&'a self, index: &'a str, found: Found, exact: bool) -> Way<'a, T> {
        let objects = found.count;
        Way {
            found,
            exact,
            steps: vec![Step {
                index,
                part: self,
                objects,
            }],
        }
    }
}

fn union<'a, T>(
    parts: &'a [Query<T>],
    indexes: &dyn Indexes,
    namespace: Option<&str>,
    most: usize,
) -> Option<Way<'a, T>> {
    let mut all = Way {
        found: Found::default(),
        exact: true,
        steps: Vec::new(),
    };
    for part in parts {
        let mut way = way(part, indexes, namespace, most - all.found.count)?;
        all.exact &= way.exact;
        all.found.count += way.found.count;
        all.found.postings.append(&mut way.found.postings);
        all.found.repeats = all.found.postings.len() > 1;
        all.steps.append(&mut way.steps);
    }
    Some(all)
}

/// Namespaces have an index always. It is over keys, so that the objects are looked at.
fn by_field<'a, T>(
    part: &'a Query<T>,
    test: &'a dyn FieldTest<T>,
    indexes: &dyn Indexes,
    most: usize,
) -> Option<Way<'a, T>> {
    let texts = test.texts().filter(|_| test.path() == NAMESPACE);
    match texts {
        Some(namespaces) => {
            let found = in_namespaces(indexes, namespaces.iter().map(String::as_str))?;
            Some(part.by(NAMESPACE, found, false))
        }
        None => match test.find(indexes, most) {
            Some(found) => Some(part.by(test.path(), found, true)),
            None => Some(part.by(LABELS, by_label(test, indexes)?, true)),
        },
    }
}

/// A test of one label, by the index of all.
fn by_label<T>(test: &dyn FieldTest<T>, indexes: &dyn Indexes) -> Option<Found> {
    let key = test.path().strip_prefix(LABELS)?;
    let key = key.strip_prefix("[\"")?.strip_suffix("\"]")?;
    let labelled = indexes.by_path(LABELS)?.with_label(key, test.texts()?);
    Some(Found::of(labelled, false))
}

/// No way to objects without a namespace, of which there is no index.
fn in_namespaces<'a>(
    indexes: &dyn Indexes,
    namespaces: impl Iterator<Item = &'a str>,
) -> Option<Found> {
    let mut postings = Vec::new();
    for namespace in namespaces {
        if namespace.is_empty() {
            return None;
        }
        postings.extend(indexes.in_namespace(namespace).cloned());
    }
    Some(Found::of(postings, false))
}

fn by_key(test: &KeyTest, indexes: &dyn Indexes, namespace: Option<&str>) -> Option<Found> {
    if !test.equal {
        return None;
    }
    match test.part {
        Part::Namespace => in_namespaces(indexes, iter::once(&*test.value)),
        Part::Name => {
            let namespace = namespace.filter(|namespace| !namespace.is_empty());
            Some(Found::of(indexes.named(&test.value, namespace), false))
        }
    }
}

fn by_labels(selector: &LabelSelector, indexes: &dyn Indexes) -> Option<(Found, bool)> {
    let labelled = indexes.by_path(LABELS)?.labelled(selector)?;
    let exact = labelled.is_whole();
    Some((Found::of(labelled.postings(), false), exact))
}

/// The index over what the server reads. What may be absent is in none.
fn as_server<T>(
    requirement: &FieldRequirement<T>,
    indexes: &dyn Indexes,
) -> Option<(&'static str, Found)> {
    let (field, value) = (requirement.field, &*requirement.value);
    if !requirement.equal || value == field.absent() {
        return None;
    }
    match field.reads() {
        Reads::Text(field) => written::<String>(value, indexes, field.path()),
        Reads::FirstOf(fields) => written::<String>(value, indexes, fields.path),
        Reads::Bool(field) => written::<bool>(value, indexes, field.path()),
        Reads::I32(field) => written::<i32>(value, indexes, field.path()),
        Reads::I64(field) => written::<i64>(value, indexes, field.path()),
        Reads::Metadata(..) | Reads::Json(_) | Reads::Shown(_) | Reads::Of(_) => None,
    }
}

/// A value that is written otherwise than the server does has no objects.
fn written<K: IndexKey + std::str::FromStr + ToString>(
    value: &str,
    indexes: &dyn Indexes,
    path: &'static str,
) -> Option<(&'static str, Found)> {
    let keys: Vec<K> = parsed(value).into_iter().collect();
    Some((path, Found::under(indexes, path, &keys)?))
}
