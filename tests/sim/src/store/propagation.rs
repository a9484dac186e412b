//! What shall become of the objects that a deleted one owns.
//!
//! The server itself only sets finalizers for it, and the garbage collector acts on them. There is no garbage collector here,
//! as there is none in kube-apiserver: what was deleted in the foreground stays until somebody takes the finalizer off.

use super::check::{Object, finalizers, metadata};
use crate::status::{FieldError, Status};
use serde_json::json;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// `propagationPolicy`, or `orphanDependents` before there was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// The object goes at once, what it owns goes later.
    Background,
    /// The object waits until what it owns is gone.
    Foreground,
    /// What it owns stays.
    Orphan,
}

impl Propagation {
    pub(crate) fn parse(text: &str) -> Result<Self, Status> {
        match text {
            "Background" => Ok(Self::Background),
            "Foreground" => Ok(Self::Foreground),
            "Orphan" => Ok(Self::Orphan),
            other => {
                let supported = &["Foreground", "Background", "Orphan", "nil"];
                let error = FieldError::not_supported("propagationPolicy", other, supported);
                Err(Status::invalid(
                    "meta.k8s.io",
                    "DeleteOptions",
                    "",
                    &[error],
                ))
            }
        }
    }

    /// Sets the finalizer that stands for the policy, and takes off that of another one.
    pub(super) fn mark(self, object: &mut Object) -> Result<(), Status> {
        let wanted = match self {
            Self::Background => None,
            Self::Foreground => Some(FOREGROUND),
            Self::Orphan => Some(ORPHAN),
        };
        let known = finalizers(object);
        if known.iter().filter(|&&one| is_policy(one)).eq(&wanted) {
            return Ok(());
        }
        let others = known.into_iter().filter(|one| !is_policy(one));
        let all = json!(others.chain(wanted).collect::<Vec<_>>());
        let fields = metadata(object)?;
        if all == json!([]) {
            fields.remove("finalizers");
        } else {
            fields.insert("finalizers".to_owned(), all);
        }
        Ok(())
    }
}

fn is_policy(finalizer: &str) -> bool {
    matches!(finalizer, ORPHAN | FOREGROUND)
}
