//! From paths to kinds.
//!
//! What the paths of an API server say, and what they do not: `watch` as a query parameter stands at every list, also
//! of what cannot be watched; a kind of Kubernetes itself can be watched if and only if it has a path below `/watch/`;
//! custom resources have none and always can; of an aggregated API such a path proves that it can be watched, and
//! nothing proves that it cannot, but discovery. The kind's type is what the list's items are: the name of a definition
//! cannot be made out of group, version and kind.

use std::collections::{BTreeMap, BTreeSet};

use larder_naming::BuiltInGroup;

use super::schema::Definitions;
use crate::error::{Diagnostics, Problem};
use crate::json::Node;
use crate::model::{Kind, KindId, Model, Origin, Schema, Scope, Verb};

/// A path below a group-version.
struct ResourcePath<'a> {
    group: &'a str,
    version: &'a str,
    plural: &'a str,
    watch: bool,
    namespaced: bool,
    target: Target<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target<'a> {
    Collection,
    Object,
    Subresource(&'a str),
}

impl<'a> ResourcePath<'a> {
    /// `None` for what is no path of a resource.
    fn parse(path: &'a str) -> Option<Self> {
        let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
        let (group, version, mut rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        // A resource may itself be called `watch`.
        let watch = matches!(rest, ["watch", next, ..] if !is_parameter(next));
        rest = if watch { &rest[1..] } else { rest };
        let namespaced = matches!(rest, ["namespaces", "{namespace}", _, ..]);
        rest = if namespaced { &rest[2..] } else { rest };
        let (plural, target) = match rest {
            [plural] => (*plural, Target::Collection),
            [plural, name] if is_parameter(name) => (*plural, Target::Object),
            [plural, name, sub, ..] if is_parameter(name) => (*plural, Target::Subresource(sub)),
            _ => return None,
        };
        if [group, version, plural].into_iter().any(is_parameter) {
            return None;
        }
        Some(Self {
            group,
            version,
            plural,
            watch,
            namespaced,
            target,
        })
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}

/// What was found about one plural of one group-version.
#[derive(Default)]
struct Resource {
    kind: Option<String>,
    namespaced: bool,
    watch_path: bool,
    verbs: BTreeSet<Verb>,
    subresources: BTreeSet<String>,
    list_type: Option<String>,
    /// What getting or creating one object answers with.
    object_type: Option<String>,
}

/// Group, version and plural.
type ResourceId = (String, String, String);

/// Collects the resources of one document.
pub(super) struct Resources<'a> {
    definitions: &'a Definitions<'a>,
    found: BTreeMap<ResourceId, Resource>,
}

impl<'a> Resources<'a> {
    pub(super) fn new(definitions: &'a Definitions<'a>) -> Self {
        let found = BTreeMap::new();
        Self { definitions, found }
    }

    pub(super) fn add(&mut self, path: &str, node: &Node<'_>, diagnostics: &mut Diagnostics) {
        let Some(parsed) = ResourcePath::parse(path) else {
            return;
        };
        let id = (
            parsed.group.to_owned(),
            parsed.version.to_owned(),
            parsed.plural.to_owned(),
        );
        let resource = self.found.entry(id).or_default();
        resource.namespaced |= parsed.namespaced;
        if parsed.watch {
            resource.watch_path = true;
            return;
        }
        if let Target::Subresource(name) = parsed.target {
            if !is_parameter(name) {
                resource.subresources.insert(name.to_owned());
            }
            return;
        }
        for (method, operation) in node.members(diagnostics) {
            let Some(verb) = verb(method, parsed.target) else {
                continue;
            };
            resource.verbs.insert(verb);
            if resource.kind.is_none() {
                resource.kind = kind_of(&operation, &parsed, diagnostics);
            }
            let slot = match verb {
                Verb::List => &mut resource.list_type,
                Verb::Get | Verb::Create => &mut resource.object_type,
                Verb::Delete
                | Verb::DeleteCollection
                | Verb::Patch
                | Verb::Update
                | Verb::Watch => continue,
            };
            if slot.is_none() {
                *slot = response_type(&operation, self.definitions, diagnostics);
            }
        }
    }

    /// Puts the kinds into the model, whose types are there already.
    pub(super) fn into_kinds(self, model: &mut Model) {
        for ((group, version, plural), resource) in self.found {
            let Some(kind) = &resource.kind else {
                // Endpoints that are no kind, as some API servers have them.
                continue;
            };
            let id = KindId::new(&group, &version, kind);
            let kind = resource.into_kind(id.clone(), plural, &model.types);
            match model.kinds.get(&id) {
                None => {
                    model.kinds.insert(id, kind);
                }
                Some(there) => {
                    let (first, second) = (&there.plural, &kind.plural);
                    model.notes.push(format!(
                        "{id} is the kind of both {first:?} and {second:?}; only one is used"
                    ));
                    if !there.is_cacheable() {
                        model.kinds.insert(id, kind);
                    }
                }
            }
        }
    }
}

impl Resource {
    fn into_kind(mut self, id: KindId, plural: String, types: &BTreeMap<String, Schema>) -> Kind {
        let item = self
            .list_type
            .as_ref()
            .and_then(|list| item_type(types.get(list)?));
        let type_name = if self.verbs.contains(&Verb::List) {
            item
        } else {
            self.object_type.take()
        };
        let origin = self.origin(&id.group, type_name.as_deref());
        if self.watch_path || origin == Origin::CustomResource {
            self.verbs.insert(Verb::Watch);
        }
        let scope = if self.namespaced {
            Scope::Namespaced
        } else {
            Scope::Cluster
        };
        let watch_unknown = origin == Origin::Aggregated
            && self.verbs.contains(&Verb::List)
            && !self.verbs.contains(&Verb::Watch);
        Kind {
            id,
            plural,
            scope,
            verbs: self.verbs,
            subresources: self.subresources,
            type_name,
            list_type: self.list_type,
            origin,
            watch_unknown,
        }
    }

    /// The server publishes every verb for every custom resource; an aggregated API that has them all and cannot be
    /// watched would be taken for one.
    fn origin(&self, group: &str, type_name: Option<&str>) -> Origin {
        const OF_CUSTOM_RESOURCES: [Verb; 7] = [
            Verb::Create,
            Verb::Delete,
            Verb::DeleteCollection,
            Verb::Get,
            Verb::List,
            Verb::Patch,
            Verb::Update,
        ];
        if let Some(built_in) = BuiltInGroup::find(group)
            && type_name.is_none_or(|name| built_in.defines(name))
        {
            Origin::Kubernetes
        } else if !self.watch_path && OF_CUSTOM_RESOURCES.iter().all(|v| self.verbs.contains(v)) {
            Origin::CustomResource
        } else {
            Origin::Aggregated
        }
    }
}

fn verb(method: &str, target: Target<'_>) -> Option<Verb> {
    Some(match (method, target == Target::Collection) {
        ("get", true) => Verb::List,
        ("get", false) => Verb::Get,
        ("post", true) => Verb::Create,
        ("put", false) => Verb::Update,
        ("patch", false) => Verb::Patch,
        ("delete", true) => Verb::DeleteCollection,
        ("delete", false) => Verb::Delete,
        _ => return None,
    })
}

/// The kind that an operation names, if it is of the path's group and version.
fn kind_of(
    operation: &Node<'_>,
    path: &ResourcePath<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let named = operation.get("x-kubernetes-group-version-kind")?;
    let group = named.text_of("group", diagnostics).unwrap_or_default();
    let version = named.text_of("version", diagnostics).unwrap_or_default();
    let expected = "the name of a kind";
    let kind = named.require("kind", expected, diagnostics)?;
    let name = kind.text(diagnostics)?;
    if name.is_empty() {
        let found = "an empty string";
        diagnostics.push(kind.error(Problem::Expected { expected, found }));
        return None;
    }
    (group == path.group && version == path.version).then(|| name.to_owned())
}

/// The definition of what an operation answers with.
fn response_type(
    operation: &Node<'_>,
    definitions: &Definitions<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<String> {
    let responses = operation.get("responses")?;
    let response = responses.get("200").or_else(|| responses.get("201"))?;
    let schema = match response.get("content") {
        Some(content) => content.get("application/json")?.get("schema")?,
        None => response.get("schema")?,
    };
    definitions.reference(&schema, diagnostics)
}

fn item_type(list: &Schema) -> Option<String> {
    match &list.field("items")?.schema {
        Schema::Array(items) => match &**items {
            Schema::Reference(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}
