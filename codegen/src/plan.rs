//! Decides what is emitted: which kinds, over which types, and what is left out and why.

use std::fmt;

use larder_naming::module_name;
use proc_macro2::{Ident, Span, TokenStream};

use crate::built_in::BuiltIn;
use crate::cargo::KubernetesVersion;
use crate::crd::Definitions;
use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::model::{CustomKind, Kind, KindId, Model, Origin, Verb};
use crate::selectable::{self, Selectable, fields};
use crate::suggest::nearest;
use crate::types::{Library, Types, kind_type};
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
    /// A custom resource, where only kinds of Kubernetes itself are wanted.
    CustomResource,
    /// A kind of an aggregated API server, where only kinds of Kubernetes itself are wanted.
    Aggregated,
    /// A kind of an aggregated API server that the server does not list.
    NotListed,
    /// A kind of an aggregated API server that the server does not watch.
    NotWatched,
    /// A kind of an aggregated API server of which the document does not say whether it can be watched.
    WatchUnknown,
    /// A kind of an aggregated API server whose list operation does not say what a list holds.
    NoObject,
    /// A version of a custom resource that the definition does not have served.
    NotServed,
}

impl fmt::Display for LeftOutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoType => "the Kubernetes version enabled in k8s-openapi has no type for it",
            Self::CustomResource => "custom resources belong in the build.rs of your own crate",
            Self::Aggregated => "aggregated APIs belong in the build.rs of your own crate",
            Self::NotListed => "its server does not list it, which a cache starts from",
            Self::NotWatched => {
                "its server does not serve `watch`, which a cache lives on: list it when you need it"
            }
            Self::WatchUnknown => {
                "the document does not say whether its server can watch it: `larder openapi pull` asks the server; or \
                 name it in `kinds`"
            }
            Self::NoObject => "its list operation does not say what a list holds",
            Self::NotServed => "its definition says that this version is not served",
        })
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id, self.reason)
    }
}

/// A kind that was emitted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GeneratedKind {
    /// The kind.
    pub id: KindId,
    /// The types that were emitted for its objects, by their paths below the module of group and version: the object
    /// itself, structs, enums and aliases. Empty for a kind whose type was there already.
    pub types: Vec<String>,
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
    /// The user has it, in the crate that the code is for.
    Existing(Box<Existing>),
}

/// A type of the user's.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) name: Ident,
    /// Where it is to be imported from, unless it is in scope.
    pub(crate) import: Option<TokenStream>,
    /// The kind's own module, unless it is called after the type.
    pub(crate) module: Option<Ident>,
    /// Where the user wrote the paths of selectable fields.
    pub(crate) spans: Vec<(String, Span)>,
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
    /// The definitions of the document that their types are made of.
    pub(crate) library: Library,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) warnings: Vec<Warning>,
}

impl Plan {
    /// What is emitted, for the user.
    pub(crate) fn generated(&self) -> Vec<GeneratedKind> {
        let kinds = self.kinds.iter().map(|planned| GeneratedKind {
            id: planned.kind.id.clone(),
            types: match &planned.object {
                ObjectType::BuiltIn(_) | ObjectType::Existing(_) => Vec::new(),
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
    /// What has a type already.
    pub(crate) built_in: BuiltIn,
    /// What definitions of custom resources say.
    pub(crate) definitions: Definitions,
}

impl Sources {
    /// All kinds, whether they can be cached or not.
    fn ids(&self) -> impl Iterator<Item = &KindId> {
        let definitions = &self.definitions;
        (self.model.kinds.keys())
            .chain(definitions.kinds.keys())
            .chain(&definitions.unserved)
    }

    /// A kind that is called so, or whose resource is.
    fn named(&self, name: &str) -> Option<&KindId> {
        let custom = self.definitions.kinds.values();
        let plurals = (self
            .model
            .kinds
            .values()
            .map(|kind| (&kind.id, &kind.plural)))
        .chain(custom.map(|kind| (&kind.id, &kind.plural)));
        let mut of_plural = plurals.filter(|(_, plural)| *plural == name);
        let by_kind = self.ids().find(|id| id.kind.eq_ignore_ascii_case(name));
        by_kind.or_else(|| of_plural.next().map(|(id, _)| id))
    }
}

/// What the user wants of it.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    /// Kinds as `apps/v1/Deployment`; empty for all.
    pub(crate) selected: &'a [String],
    /// No kinds but those of Kubernetes itself.
    pub(crate) built_in_only: bool,
    /// The version of the server, as far as it is known.
    pub(crate) version: Option<KubernetesVersion>,
}

impl Choice<'_> {
    fn has(&self, id: &KindId) -> bool {
        self.selected.is_empty() || self.names(id)
    }

    fn names(&self, id: &KindId) -> bool {
        self.selected.contains(&id.to_string())
    }
}

/// Errors about what was chosen stand at `place`.
pub(crate) fn plan(
    mut sources: Sources,
    choice: &Choice<'_>,
    place: &Place,
) -> Result<Plan, Errors> {
    let mut plan = Plan::default();
    let mut diagnostics = Diagnostics::default();
    for name in choice.selected {
        if let Some(problem) = selection_problem(name, choice, &sources) {
            diagnostics.push(Error::new(place.clone(), problem));
        }
    }
    let custom = std::mem::take(&mut sources.definitions.kinds);
    let unserved = std::mem::take(&mut sources.definitions.unserved);
    let kinds = sources.model.kinds.values();
    for kind in kinds.filter(|kind| choice.has(&kind.id)) {
        // Of these the types are emitted.
        if custom.contains_key(&kind.id) || unserved.contains(&kind.id) {
            continue;
        }
        match built_in(kind, choice, &sources.built_in) {
            Ok(type_path) => plan.kinds.push(Planned {
                selectable: fields(kind, choice.version.map(KubernetesVersion::minor)),
                kind: kind.clone(),
                object: ObjectType::BuiltIn(type_path),
            }),
            Err(Some(reason)) => plan.left_out.push(LeftOut {
                id: kind.id.clone(),
                reason,
            }),
            // What only a client can want, such as a review.
            Err(None) => {}
        }
    }
    let chosen = custom.into_values().filter(|kind| choice.has(&kind.id));
    let (chosen, not): (Vec<CustomKind>, Vec<CustomKind>) =
        chosen.partition(|kind| foreign_reason(kind.document.as_ref(), choice).is_none());
    plan.library = Library::of(&chosen, &sources.model, &sources.built_in);
    plan.warnings = sources.definitions.warnings;
    for mut kind in chosen {
        plan.warnings.append(&mut kind.warnings);
        let planned = planned(kind, &plan.library, &mut plan.warnings);
        plan.kinds.push(planned);
    }
    let not = not.into_iter().filter_map(|kind| {
        let reason = foreign_reason(kind.document.as_ref(), choice)?;
        Some(LeftOut {
            id: kind.id,
            reason,
        })
    });
    plan.left_out.extend(not);
    let unserved = unserved.into_iter().filter(|id| choice.has(id));
    plan.left_out.extend(unserved.map(|id| LeftOut {
        id,
        reason: LeftOutReason::NotServed,
    }));
    diagnostics.finish(plan)
}

/// The type of a kind that is there already; or why there is none, if it is anything to tell.
fn built_in(
    kind: &Kind,
    choice: &Choice<'_>,
    types: &BuiltIn,
) -> Result<String, Option<LeftOutReason>> {
    let is_foreign = kind.origin != Origin::Kubernetes;
    if is_foreign && !choice.built_in_only {
        // Nothing describes its objects, or it were among those whose types are emitted.
        return Err(foreign_reason(Some(kind), choice).or(Some(LeftOutReason::NoObject)));
    }
    if !kind.is_cacheable() {
        return Err(None);
    }
    type_path(kind, types).map_err(Some)
}

/// Why a kind of a document that is not Kubernetes' own cannot be cached.
fn foreign_reason(kind: Option<&Kind>, choice: &Choice<'_>) -> Option<LeftOutReason> {
    let kind = kind?;
    if !kind.verbs.contains(&Verb::List) {
        Some(LeftOutReason::NotListed)
    } else if kind.watch_unknown {
        (!choice.names(&kind.id)).then_some(LeftOutReason::WatchUnknown)
    } else if !kind.verbs.contains(&Verb::Watch) {
        Some(LeftOutReason::NotWatched)
    } else {
        kind.type_name.is_none().then_some(LeftOutReason::NoObject)
    }
}

fn planned(custom: CustomKind, library: &Library, warnings: &mut Vec<Warning>) -> Planned {
    let kind = custom.kind();
    let types = Types::of(&custom, library);
    let schema = match custom.document {
        Some(_) => custom.place.clone(),
        None => custom.place.below("schema.openAPIV3Schema"),
    };
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
    let place = custom.place.below(&match custom.document {
        Some(_) => format!("x-kubernetes-selectable-fields[{at}].fieldPath"),
        None => format!("selectableFields[{at}].jsonPath"),
    });
    let suggestion = types.nearest_leaf(path);
    let path = path.to_owned();
    Warning {
        place,
        passed_over: PassedOver::Selectable { path, suggestion },
    }
}

fn type_path(kind: &Kind, types: &BuiltIn) -> Result<String, LeftOutReason> {
    match kind.origin {
        Origin::Kubernetes => {}
        Origin::CustomResource => return Err(LeftOutReason::CustomResource),
        Origin::Aggregated => return Err(LeftOutReason::Aggregated),
    }
    types.path_of(kind).ok_or(LeftOutReason::NoType)
}

fn selection_problem(name: &str, choice: &Choice<'_>, sources: &Sources) -> Option<Problem> {
    let kind = name.to_owned();
    let definitions = &sources.definitions;
    let mut described = definitions.kinds.values();
    if let Some(custom) = described.find(|kind| kind.id.to_string() == name) {
        let reason = foreign_reason(custom.document.as_ref(), choice)?.to_string();
        return Some(Problem::NoCache { kind, reason });
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
        // The kind alone, in another version, or as in paths is the usual slip.
        let last = name.rsplit('/').next().unwrap_or(name);
        let same = sources.named(last);
        let suggestion = nearest(name, ids.iter().map(String::as_str));
        return Some(Problem::Unknown {
            what: "kind that was read; kinds are written as `apps/v1/Deployment` and `v1/Pod`",
            word: kind,
            suggestion: suggestion.or_else(|| same.map(ToString::to_string)),
        });
    };
    let reason = match (
        built_in(found, choice, &sources.built_in),
        found.not_cacheable(),
    ) {
        (Ok(_), _) => return None,
        (Err(None), Some(reason)) => reason.to_owned(),
        (Err(reason), _) => reason?.to_string(),
    };
    Some(Problem::NoCache { kind, reason })
}
