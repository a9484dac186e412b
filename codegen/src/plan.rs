//! Decides what is emitted: which kinds, over which types, and what is left out and why.

use std::fmt;

use larder_naming::{k8s_openapi_path, module_name};

use crate::cargo::KubernetesVersion;
use crate::config::GeneratedKind;
use crate::crd::Definitions;
use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::model::{CustomKind, Kind, KindId, Model, Origin};
use crate::selectable::{self, Selectable, fields};
use crate::suggest::nearest;
use crate::types::{Types, kind_type};
use crate::warning::{PassedOver, Warning};

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
    /// A version of a custom resource that the definition does not have served.
    NotServed,
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoType => "the Kubernetes version enabled in k8s-openapi has no type for it",
            Self::CustomResource => "custom resources belong in the build.rs of your own crate",
            Self::Aggregated => "aggregated APIs belong in the build.rs of your own crate",
            Self::NotServed => "its definition says that this version is not served",
        })
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id, self.reason)
    }
}

/// A kind to emit.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) kind: Kind,
    pub(crate) object: ObjectType,
    /// The fields that the server can select by.
    pub(crate) selectable: Vec<Selectable>,
}

/// Where the type of a kind's objects comes from.
#[derive(Debug)]
pub(crate) enum ObjectType {
    /// It is there already, at this path below k8s-openapi's root.
    BuiltIn(String),
    /// It is emitted, too.
    Custom(Box<Custom>),
}

/// A custom resource, and the types that its objects are made of.
#[derive(Debug)]
pub(crate) struct Custom {
    pub(crate) kind: CustomKind,
    pub(crate) types: Types,
    /// The name of the objects' type.
    pub(crate) type_name: String,
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) kinds: Vec<Planned>,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) warnings: Vec<Warning>,
}

impl Plan {
    /// What is emitted, for the user.
    pub(crate) fn generated(&self) -> Vec<GeneratedKind> {
        let kinds = self.kinds.iter().map(|planned| GeneratedKind {
            id: planned.kind.id.clone(),
            types: match &planned.object {
                ObjectType::BuiltIn(_) => Vec::new(),
                ObjectType::Custom(custom) => custom.type_paths(),
            },
        });
        let mut kinds: Vec<GeneratedKind> = kinds.collect();
        kinds.sort_by(|a, b| a.id.cmp(&b.id));
        kinds
    }
}

impl Custom {
    fn type_paths(&self) -> Vec<String> {
        let module = module_name(&self.type_name);
        let below = self.types.below.iter();
        let below = below.map(|definition| format!("{module}::{}", definition.place.join("::")));
        std::iter::once(self.type_name.clone())
            .chain(below)
            .collect()
    }
}

/// What there is to choose from.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The kinds of a document.
    pub(crate) model: Model,
    /// The model of the Kubernetes version enabled in k8s-openapi, where it is another one: only what it has, has a type.
    pub(crate) types: Option<Model>,
    /// What definitions of custom resources say.
    pub(crate) definitions: Definitions,
}

impl Sources {
    fn types(&self) -> &Model {
        self.types.as_ref().unwrap_or(&self.model)
    }

    /// All kinds, whether they can be cached or not.
    fn ids(&self) -> impl Iterator<Item = &KindId> {
        let definitions = &self.definitions;
        (self.model.kinds.keys())
            .chain(definitions.kinds.keys())
            .chain(&definitions.unserved)
    }
}

/// `version` is that of the server, as far as it is known. `selected` are kinds as `apps/v1/Deployment`; empty for all. Errors about them stand at `place`.
pub(crate) fn plan(
    mut sources: Sources,
    selected: &[String],
    version: Option<KubernetesVersion>,
    place: &Place,
) -> Result<Plan, Errors> {
    let mut plan = Plan::default();
    let mut diagnostics = Diagnostics::default();
    for name in selected {
        if let Some(problem) = selection_problem(name, &sources) {
            diagnostics.push(Error::new(place.clone(), problem));
        }
    }
    let is_selected = |id: &KindId| selected.is_empty() || selected.contains(&id.to_string());
    let custom = std::mem::take(&mut sources.definitions.kinds);
    for kind in sources
        .model
        .kinds
        .values()
        .filter(|kind| kind.is_cacheable())
    {
        // Of a custom resource the definition says more.
        if !is_selected(&kind.id) || custom.contains_key(&kind.id) {
            continue;
        }
        match type_path(kind, sources.types()) {
            Ok(type_path) => plan.kinds.push(Planned {
                selectable: fields(kind, version.map(KubernetesVersion::minor)),
                kind: kind.clone(),
                object: ObjectType::BuiltIn(type_path),
            }),
            Err(reason) => plan.left_out.push(LeftOut {
                id: kind.id.clone(),
                reason,
            }),
        }
    }
    plan.warnings = sources.definitions.warnings;
    for mut kind in custom.into_values().filter(|kind| is_selected(&kind.id)) {
        plan.warnings.append(&mut kind.warnings);
        plan.kinds.push(planned(kind, &mut plan.warnings));
    }
    let unserved = sources.definitions.unserved.into_iter();
    let unserved = unserved.filter(is_selected).map(|id| LeftOut {
        id,
        reason: LeftOutReason::NotServed,
    });
    plan.left_out.extend(unserved);
    diagnostics.finish(plan)
}

fn planned(custom: CustomKind, warnings: &mut Vec<Warning>) -> Planned {
    let kind = custom.kind();
    let types = Types::of(&custom);
    let schema = custom.place.below("schema.openAPIV3Schema");
    warnings.extend(types.impossible_defaults.iter().map(|path| Warning {
        place: schema.clone(),
        passed_over: PassedOver::Default { path: path.clone() },
    }));
    let mut selectable = fields(&kind, None);
    for (at, path) in custom.selectable.iter().enumerate() {
        match selectable::declared(path, &types) {
            Some(field) => selectable.push(field),
            None => warnings.push(not_selectable(&custom, at, path, &types)),
        }
    }
    Planned {
        selectable,
        kind,
        object: ObjectType::Custom(Box::new(Custom {
            types,
            type_name: kind_type(&custom.id.kind),
            kind: custom,
        })),
    }
}

fn not_selectable(custom: &CustomKind, at: usize, path: &str, types: &Types) -> Warning {
    let place = custom
        .place
        .below(&format!("selectableFields[{at}].jsonPath"));
    let suggestion = types.nearest_leaf(path);
    let path = path.to_owned();
    Warning {
        place,
        passed_over: PassedOver::Selectable { path, suggestion },
    }
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

fn selection_problem(name: &str, sources: &Sources) -> Option<Problem> {
    let kind = name.to_owned();
    let definitions = &sources.definitions;
    if definitions.kinds.keys().any(|id| id.to_string() == name) {
        return None;
    }
    if definitions.unserved.iter().any(|id| id.to_string() == name) {
        let reason = LeftOutReason::NotServed.to_string();
        return Some(Problem::NoCache { kind, reason });
    }
    let Some(found) = sources
        .model
        .kinds
        .values()
        .find(|k| k.id.to_string() == name)
    else {
        let ids: Vec<String> = sources.ids().map(ToString::to_string).collect();
        // The kind alone, or in another version, is the usual slip.
        let last = name.rsplit('/').next();
        let same = sources.ids().find(|id| Some(id.kind.as_str()) == last);
        let suggestion = nearest(name, ids.iter().map(String::as_str));
        return Some(Problem::Unknown {
            what: "kind of the document; kinds are written as `apps/v1/Deployment` and `v1/Pod`",
            word: kind,
            suggestion: suggestion.or_else(|| same.map(ToString::to_string)),
        });
    };
    let reason = match found.not_cacheable() {
        Some(reason) => reason.to_owned(),
        None => type_path(found, sources.types()).err()?.to_string(),
    };
    Some(Problem::NoCache { kind, reason })
}
