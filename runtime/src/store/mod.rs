//! The store of one informer: one writer, many readers.
//!
//! `State` is all objects at one moment, made of shared chunks; the writer changes a working copy and publishes it as
//! one pointer swap. Reflectors come in through [`source::Source`], the only code that changes a state; readers come in
//! through [`Snapshot`] and [`List`]. Always true: a published state never changes; its key table, namespace postings and
//! indexes agree with its objects; readers take no lock and free no old state; handlers hear of a change only
//! after the state that shows it was published; a namespace is one source's, and no other changes an object in it.

mod built_in;
mod composite;
mod coverage;
#[cfg(test)]
mod coverage_tests;
mod cow;
mod extract;
mod indexed;
mod indexing;
mod lookup;
mod order;
mod posting;
mod postings;
mod read;
mod replay;
mod shared;
mod slab;
mod source;
mod staging;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod waiting;
mod walk;

pub(crate) use built_in::{LABELS, Labels, Names, OWNERS, Owners, serves_labels};
pub use composite::Composite;
pub(crate) use coverage::Coverage;
pub(crate) use extract::IndexKey;
pub use extract::{Computed, Extract, computed};
pub(crate) use indexed::Spec;
pub use lookup::{IndexSnapshot, OrderedIndexSnapshot};
pub(crate) use posting::Posting;
pub(crate) use postings::Postings;
pub(crate) use read::Filter;
pub use read::{List, Snapshot};
pub(crate) use shared::Shared;
pub(crate) use source::Source;
pub(crate) use state::State;
pub(crate) use waiting::WakeAt;
