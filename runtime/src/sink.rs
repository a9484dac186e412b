//! Where a reflector puts what it receives: the one arrow from reflector to store.
//!
//! The reflector knows no kind and no `Kept`; behind this trait the store decodes, diffs and tells handlers.

use std::sync::Arc;

use crate::decode::RawObject;
use crate::identity::ResourceVersion;

/// The store as one reflector sees it.
///
/// Between `begin` and `commit` a complete listing is collected beside what readers see; `commit` swaps it in as
/// one atomic step and yields the deletes that were missed. `upsert` and `delete` collect watch events; `flush`
/// publishes them together. No call blocks for longer than its own work.
pub(crate) trait Sink: Send {
    /// The namespaces whose objects are not wanted: the server need not send them, and may.
    fn excluded(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
    /// Starts collecting a complete listing; whatever an earlier, unfinished one had collected is dropped.
    fn begin(&mut self);
    /// An object of the listing, or an ADDED or MODIFIED before a streaming list's end.
    fn stage(&mut self, object: &RawObject<'_>);
    /// A DELETED before a streaming list's end.
    fn unstage(&mut self, object: &RawObject<'_>);
    /// The listing is complete and reflects `version`.
    fn commit(&mut self, version: ResourceVersion);
    /// The listing failed; what it collected is dropped.
    fn abandon(&mut self);
    /// The kind is not served any more: everything that this reflector put in goes, as missed deletes.
    fn vanish(&mut self);
    /// An ADDED or MODIFIED of a watch.
    fn upsert(&mut self, object: &RawObject<'_>);
    /// A DELETED of a watch.
    fn delete(&mut self, object: &RawObject<'_>);
    /// Everything up to `version` has been seen.
    fn bookmark(&mut self, version: ResourceVersion);
    /// Publishes what `upsert`, `delete` and `bookmark` collected since the last flush.
    fn flush(&mut self);
}
