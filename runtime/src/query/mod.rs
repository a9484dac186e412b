//! Queries: what a lister shall select by labels, fields and keys, as one tree of tests.
//!
//! A tree knows the type of the stored object alone, not how it is kept, so that a query may be made anywhere. `field` has the tests
//! of paths, `text` reads the selectors that kubectl takes. Always true: a query is a pure function of one object, so whatever a read goes
//! through, it answers with the same objects as a look at each of them.

mod explain;
mod field;
mod plan;
mod read;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Not;
use std::sync::Arc;

pub use self::explain::{Plan, PlanStep};
use self::field::FieldTest;
pub(crate) use self::read::no_object;
pub use self::text::InvalidQuery;
use crate::key::ObjectKey;
use crate::selector::{FieldRequirement, FieldSelector, KeyTest, KeyTests, LabelSelector, Part};

/// Which objects a read selects: tests of fields, labels, names and namespaces, joined by `and`, `or` and `!`.
///
/// `T` is what is stored behind the informer's pointer: `Pod` for a `PodLister`. A query is made of parts, each of which is one by itself:
///
/// | part | an object is selected that |
/// |---|---|
/// | `field!(Pod, spec.nodeName).eq("n1")`, `.is_in(["n1", "n2"])` | has such a value at the path; where the path walks a list, such a value among others |
/// | `….ne("n1")`, `….not_in([…])` | has none such: those without any value too |
/// | `….exists()`, `….absent()` | has a value at the path, or none |
/// | a [`LabelSelector`] | has such labels |
/// | `pod::selectable::SPEC_NODE_NAME.eq("n1")`, a [`FieldSelector`] | the API server would select: an absent value is `""`, `false` or `0` |
///
/// ```
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::Pod;
/// use larder::{LabelSelector, Query, field};
///
/// let web: LabelSelector = "app=web,tier notin (canary)".parse()?;
/// let query: Query<Pod> = field!(Pod, spec.nodeName)
///     .is_in(["node-7", "node-8"])
///     .and(web)
///     .and(field!(Pod, status.phase).ne("Running").or(field!(Pod, metadata.deletionTimestamp).exists()));
/// assert_eq!(
///     query.to_string(),
///     "spec.nodeName in [\"node-7\", \"node-8\"] and labels app=web,tier!=canary \
///      and (status.phase != \"Running\" or metadata.deletionTimestamp exists)"
/// );
/// # Ok::<(), larder::InvalidSelector>(())
/// ```
///
/// [`Lister::select`](crate::Lister::select) reads by it, [`Lister::explain`](crate::Lister::explain) says how, and
/// [`Lister::fields`](crate::Lister::fields) makes one of the text that kubectl takes. A clone costs a reference count.
///
/// A test of another type than the object's does not compile:
///
/// ```compile_fail,E0277
/// # extern crate larder_runtime as larder;
/// use k8s_openapi::api::core::v1::{Node, Pod};
/// use larder::field;
///
/// let _ = field!(Pod, spec.nodeName).eq("node-7").and(field!(Node, spec.unschedulable).eq(true));
/// ```
#[must_use = "a query selects nothing by itself: give it to a lister"]
pub struct Query<T>(Arc<Node<T>>);

/// `All` holds no `All`, `Any` no `Any`, `Not` no `Not`.
enum Node<T> {
    /// Everything, where there is none.
    All(Vec<Query<T>>),
    /// Nothing, where there is none.
    Any(Vec<Query<T>>),
    Not(Query<T>),
    Field(Box<dyn FieldTest<T>>),
    Key(KeyTest),
    Labels(LabelSelector),
    /// As the server reads the field.
    Server(FieldRequirement<T>),
}

/// One object as queries see it.
pub(crate) struct Subject<'a, T> {
    pub(crate) key: &'a ObjectKey,
    pub(crate) object: &'a T,
    pub(crate) labels: &'a dyn Fn() -> Cow<'a, BTreeMap<String, String>>,
}

impl<T> Query<T> {
    fn new(node: Node<T>) -> Self {
        Self(Arc::new(node))
    }

    /// The query that selects everything.
    pub fn everything() -> Self {
        Self::new(Node::All(Vec::new()))
    }

    /// Whether this one selects everything, whatever the objects are: whether it is made of no part.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        matches!(&*self.0, Node::All(parts) if parts.is_empty())
    }

    /// Objects that both select.
    pub fn and(self, other: impl Into<Self>) -> Self {
        Self::all([self, other.into()])
    }

    /// Objects that one of both selects, or both.
    pub fn or(self, other: impl Into<Self>) -> Self {
        Self::any([self, other.into()])
    }

    /// Objects that at least one of these selects: of no queries, nothing.
    ///
    /// ```
    /// # extern crate larder_runtime as larder;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use larder::{Query, field};
    ///
    /// let wanted = [("node-7", "Running"), ("node-8", "Pending")];
    /// let query: Query<Pod> = Query::any(
    ///     wanted.map(|(node, phase)| field!(Pod, spec.nodeName).eq(node).and(field!(Pod, status.phase).eq(phase))),
    /// );
    /// assert_eq!(query.to_string().matches(" or ").count(), 1);
    /// ```
    pub fn any(queries: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for one in queries {
            if one.is_everything() {
                return one;
            }
            match &*one.0 {
                Node::Any(inner) => parts.extend(inner.iter().cloned()),
                _ => parts.push(one),
            }
        }
        Self::joined(parts, Node::Any)
    }

    /// Objects that each of these selects: of no queries, everything.
    pub fn all(queries: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for one in queries {
            match &*one.0 {
                Node::All(inner) => parts.extend(inner.iter().cloned()),
                _ => parts.push(one),
            }
        }
        Self::joined(parts, Node::All)
    }

    fn joined(mut parts: Vec<Self>, join: fn(Vec<Self>) -> Node<T>) -> Self {
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                parts.extend(last);
                Self::new(join(parts))
            }
        }
    }

    /// The one namespace that objects must be in, where there is one.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.conjuncts().iter().find_map(|part| match &*part.0 {
            Node::Key(test) => test.only_namespace(),
            Node::Field(test) if test.path() == NAMESPACE => match test.texts()? {
                [only] if !only.is_empty() => Some(only),
                _ => None,
            },
            _ => None,
        })
    }

    /// What the server does with one requirement. Names and namespaces are parts of the key, which no transform changes.
    fn required(requirement: &FieldRequirement<T>) -> Self {
        match Part::of_path(requirement.field.path()) {
            Some(part) => Self::keyed(KeyTest {
                part,
                equal: requirement.equal,
                value: requirement.value.clone(),
            }),
            None => Self::new(Node::Server(requirement.clone())),
        }
    }

    /// Objects of such names and namespaces.
    pub(crate) fn of_keys(tests: &KeyTests) -> Self {
        Self::all(tests.iter().cloned().map(Self::keyed))
    }

    fn keyed(test: KeyTest) -> Self {
        Self::new(Node::Key(test))
    }

    /// What must all hold.
    fn conjuncts(&self) -> &[Self] {
        match &*self.0 {
            Node::All(parts) => parts,
            _ => std::slice::from_ref(self),
        }
    }

    pub(crate) fn holds(&self, subject: &Subject<'_, T>) -> bool {
        match &*self.0 {
            Node::All(parts) => parts.iter().all(|part| part.holds(subject)),
            Node::Any(parts) => parts.iter().any(|part| part.holds(subject)),
            Node::Not(part) => !part.holds(subject),
            Node::Field(test) => test.holds(subject.object),
            Node::Key(test) => test.holds(subject.key),
            Node::Labels(selector) => selector.matches(&(subject.labels)()),
            Node::Server(requirement) => requirement.holds(subject.object),
        }
    }
}

/// The path that namespaces are known by.
const NAMESPACE: &str = Part::Namespace.path();

/// Objects that the query does not select.
impl<T> Not for Query<T> {
    type Output = Self;

    fn not(self) -> Self {
        match &*self.0 {
            Node::Not(part) => part.clone(),
            _ => Self::new(Node::Not(self)),
        }
    }
}

impl<T> From<LabelSelector> for Query<T> {
    fn from(selector: LabelSelector) -> Self {
        match selector.is_everything() {
            true => Self::everything(),
            false => Self::new(Node::Labels(selector)),
        }
    }
}

impl<T> From<&LabelSelector> for Query<T> {
    fn from(selector: &LabelSelector) -> Self {
        selector.clone().into()
    }
}

/// The server's own semantics: an absent value is `""`, `false` or `0`.
impl<T> From<FieldSelector<T>> for Query<T> {
    fn from(selector: FieldSelector<T>) -> Self {
        Self::from(&selector)
    }
}

impl<T> From<&FieldSelector<T>> for Query<T> {
    fn from(selector: &FieldSelector<T>) -> Self {
        Self::all(selector.requirements().iter().map(Self::required))
    }
}

impl<T> FieldSelector<T> {
    /// Objects that this one selects, or a query, or both.
    pub fn or(self, other: impl Into<Query<T>>) -> Query<T> {
        Query::from(self).or(other)
    }
}

/// Objects that the server would not select.
impl<T> Not for FieldSelector<T> {
    type Output = Query<T>;

    fn not(self) -> Query<T> {
        !Query::from(self)
    }
}

impl<T> From<&Self> for Query<T> {
    fn from(query: &Self) -> Self {
        query.clone()
    }
}

impl<T> Clone for Query<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Query<T> {
    fn default() -> Self {
        Self::everything()
    }
}

/// In words, for people. Values are those that the query was made with.
impl<T> fmt::Display for Query<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Node::All(parts) if parts.is_empty() => f.write_str("everything"),
            Node::All(parts) => join(f, parts, " and "),
            Node::Any(parts) if parts.is_empty() => f.write_str("nothing"),
            Node::Any(parts) => {
                f.write_str("(")?;
                join(f, parts, " or ")?;
                f.write_str(")")
            }
            Node::Not(part) => match &*part.0 {
                Node::Field(test) => test.show(true, f),
                Node::All(parts) if !parts.is_empty() => write!(f, "not ({part})"),
                _ => write!(f, "not {part}"),
            },
            Node::Field(test) => test.show(false, f),
            Node::Key(test) => test.fmt(f),
            Node::Labels(selector) => write!(f, "labels {selector}"),
            Node::Server(requirement) => write!(f, "fields {requirement}"),
        }
    }
}

fn join<T>(f: &mut fmt::Formatter<'_>, parts: &[Query<T>], word: &str) -> fmt::Result {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            f.write_str(word)?;
        }
        fmt::Display::fmt(part, f)?;
    }
    Ok(())
}

impl<T> fmt::Debug for Query<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query({self})")
    }
}
