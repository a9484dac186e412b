//! The forms of patches.

use super::merge::merge_patch;
use crate::status::Status;
use serde_json::Value;

/// A change to an object that is sent without the rest of it.
pub(crate) enum Patch {
    /// RFC 7396.
    Merge(Value),
    /// RFC 6902.
    Json(json_patch::Patch),
}

impl Patch {
    /// The object with the patch applied.
    pub(crate) fn apply_to(&self, mut object: Value) -> Result<Value, Status> {
        match self {
            Self::Merge(patch) => merge_patch(&mut object, patch),
            // Why it cannot be applied may hold values of the object.
            Self::Json(patch) => json_patch::patch(&mut object, patch).map_err(|_| {
                let message = "the server rejected our request due to an error in our request";
                Status::new(422, "Invalid", message).with_empty_details()
            })?,
        }
        Ok(object)
    }
}

/// Whether a strategic merge patch says nothing that a merge patch would not: no lists, which are merged by keys of their
/// own, and no directives, whose names begin with `$`.
pub(crate) fn is_plain_merge(patch: &Value) -> bool {
    match patch {
        Value::Array(_) => false,
        Value::Object(members) => members
            .iter()
            .all(|(name, value)| !name.starts_with('$') && is_plain_merge(value)),
        _ => true,
    }
}
