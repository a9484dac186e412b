//! Decides what is emitted: which kinds, over which types, and what is left out and why.

use std::fmt;

use larder_naming::k8s_openapi_path;

use crate::cargo::KubernetesVersion;
use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::model::{Kind, KindId, Model, Origin};
use crate::selectable::{Selectable, fields};
use crate::suggest::nearest;

/// A kind of the document for which nothing was emitted, though it could be cached.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The kind.
    pub id: KindId,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why a kind was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOutReason {
    /// A kind of Kubernetes that the enabled version of k8s-openapi has no type for.
    NoType,
    /// A custom resource.
    CustomResource,
    /// A kind of an aggregated API server.
    Aggregated,
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoType => "the Kubernetes version enabled in k8s-openapi has no type for it",
            Self::CustomResource => "custom resources belong in the build.rs of your own crate",
            Self::Aggregated => "aggregated APIs belong in the build.rs of your own crate",
        })
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id, self.reason)
    }
}

/// A kind to emit.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) kind: Kind,
    /// The path of its type below k8s-openapi's root.
    pub(crate) type_path: String,
    /// The fields that the server can select by.
    pub(crate) selectable: Vec<Selectable>,
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) kinds: Vec<Planned>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// `types` is the model of the Kubernetes version enabled in k8s-openapi: only what it has, has a type.
///
/// `version` is that of the server, as far as it is known. `selected` are kinds as `apps/v1/Deployment`; empty for all. Errors about them stand at `place`.
pub(crate) fn plan(
    model: &Model,
    types: &Model,
    selected: &[String],
    version: Option<KubernetesVersion>,
    place: &Place,
) -> Result<Plan, Errors> {
    let mut plan = Plan::default();
    let mut diagnostics = Diagnostics::default();
    for name in selected {
        if let Some(problem) = selection_problem(name, model, types) {
            diagnostics.push(Error::new(place.clone(), problem));
        }
    }
    for kind in model.kinds.values().filter(|kind| kind.is_cacheable()) {
        if !selected.is_empty() && !selected.contains(&kind.id.to_string()) {
            continue;
        }
        match type_path(kind, types) {
            Ok(type_path) => plan.kinds.push(Planned {
                selectable: fields(kind, version.map(KubernetesVersion::minor)),
                kind: kind.clone(),
                type_path,
            }),
            Err(reason) => plan.left_out.push(LeftOut {
                id: kind.id.clone(),
                reason,
            }),
        }
    }
    diagnostics.finish(plan)
}

fn type_path(kind: &Kind, types: &Model) -> Result<String, LeftOutReason> {
    match kind.origin {
        Origin::Kubernetes => {}
        Origin::CustomResource => return Err(LeftOutReason::CustomResource),
        Origin::Aggregated => return Err(LeftOutReason::Aggregated),
    }
    let has_type = |known: &&Kind| known.type_name == kind.type_name;
    let known = types.kinds.get(&kind.id).filter(has_type);
    let definition = known.and_then(|known| known.type_name.as_deref());
    definition
        .and_then(k8s_openapi_path)
        .ok_or(LeftOutReason::NoType)
}

fn selection_problem(name: &str, model: &Model, types: &Model) -> Option<Problem> {
    let kind = name.to_owned();
    let Some(found) = model.kinds.values().find(|k| k.id.to_string() == name) else {
        let ids: Vec<String> = model.kinds.keys().map(ToString::to_string).collect();
        // The kind alone, or in another version, is the usual slip.
        let last = name.rsplit('/').next();
        let same = model.kinds.keys().find(|id| Some(id.kind.as_str()) == last);
        let suggestion = nearest(name, ids.iter().map(String::as_str));
        return Some(Problem::Unknown {
            what: "kind of the document; kinds are written as `apps/v1/Deployment` and `v1/Pod`",
            word: kind,
            suggestion: suggestion.or_else(|| same.map(ToString::to_string)),
        });
    };
    let reason = match found.not_cacheable() {
        Some(reason) => reason.to_owned(),
        None => type_path(found, types).err()?.to_string(),
    };
    Some(Problem::NoCache { kind, reason })
}
