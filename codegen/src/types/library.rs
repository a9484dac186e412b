//! The definitions of a document that types are made of: where each is, and which of them go round in circles.
//!
//! What k8s-openapi has is used; objects and enums are emitted, once for all kinds; anything else is put in where it is referred to.
//! What always holds: the way from a type through its fields never leads back to it without a `Vec`, a map or a `Box` between.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use larder_naming::group_module;

use super::names::{kind_modules, kind_type};
use super::packages::{SharedNames, name_all};
use super::{Place, Types};
use crate::built_in::BuiltIn;
use crate::foreign;
use crate::model::{CustomKind, Docs, Member, Model, Object, Property, Shape};

/// The module of all definitions.
const MODULE: &str = "definitions";

/// What a definition is in Rust.
#[derive(Debug)]
pub(super) enum Target {
    /// A type of Kubernetes, at this path below k8s-openapi's root.
    BuiltIn(String),
    /// A type that is emitted, at this path below the root of what is emitted.
    Named(Place),
    /// What stands in its place.
    Inline(Member),
}

/// That one type has another in itself, not in a list or a map.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    of: String,
    part: String,
    /// Whether it may be absent.
    is_optional: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Library {
    targets: HashMap<String, Target>,
    /// The parts of types that have to lie behind a pointer.
    circular: BTreeSet<Part>,
    /// The module of all of them.
    pub(crate) module: String,
    /// What is emitted, sorted by package and name.
    pub(crate) shared: Vec<Shared>,
}

/// A definition that is emitted as a type of its own.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The definition's name.
    pub(crate) name: String,
    pub(crate) names: SharedNames,
    pub(crate) docs: Docs,
    pub(crate) body: SharedBody,
}

#[derive(Debug)]
pub(crate) enum SharedBody {
    Struct(Types),
    /// One of these strings, or another.
    Choice(Vec<String>),
}

impl Library {
    /// The definitions that `kinds` need.
    pub(crate) fn of(kinds: &[CustomKind], model: &Model, built_in: &BuiltIn) -> Self {
        let mut search = Search {
            model,
            built_in,
            kinds: kind_places(kinds),
            found: BTreeMap::new(),
        };
        for kind in kinds {
            search.object(&kind.object);
        }
        let Search {
            kinds: places,
            found,
            ..
        } = search;
        let mut library = Self {
            module: module(kinds),
            ..Self::default()
        };
        for (name, place) in &places {
            let place = Target::Named(place.clone());
            library.targets.insert((*name).to_owned(), place);
        }
        let mut emitted: Vec<(String, Member)> = Vec::new();
        for (name, found) in found {
            match found {
                Found::BuiltIn(path) => {
                    library.targets.insert(name, Target::BuiltIn(path));
                }
                Found::Member(member) if is_named(&member.shape) => emitted.push((name, member)),
                Found::Member(member) => {
                    library.targets.insert(name, Target::Inline(member));
                }
            }
        }
        // Those that nobody wants, too: what is selected renames nothing.
        let all = model.described.keys().map(String::as_str);
        let names = name_all(all.chain(emitted.iter().map(|(name, _)| name.as_str())));
        for (name, _) in &emitted {
            if let Some(names) = names.get(name.as_str()) {
                let place = [&library.module, &names.package, &names.type_name];
                let place = Target::Named(place.map(String::clone).to_vec());
                library.targets.insert(name.clone(), place);
            }
        }
        let roots = kinds.iter().filter_map(|kind| {
            let name = kind.definition()?;
            places.contains_key(name).then_some((name, &kind.object))
        });
        let objects = emitted
            .iter()
            .filter_map(|(name, member)| match &member.shape {
                Shape::Object(object) => Some((name.as_str(), object)),
                _ => None,
            });
        library.find_circles(objects.chain(roots));
        let shared = emitted.iter().filter_map(|(name, member)| {
            Some(Shared {
                name: name.clone(),
                names: names.get(name.as_str())?.clone(),
                docs: member.docs.clone(),
                body: library.body(name, &member.shape),
            })
        });
        library.shared = shared.collect();
        library.shared.sort_by(|a, b| a.names.cmp(&b.names));
        library
    }

    /// The paths of what is emitted.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for Shared { names, body, .. } in &self.shared {
            let package = format!("{}::{}", self.module, names.package);
            paths.push(format!("{package}::{}", names.type_name));
            if let SharedBody::Struct(types) = body {
                let below = types.below.iter();
                let below =
                    below.map(|of| format!("{package}::{}::{}", names.module, of.place.join("::")));
                paths.extend(below);
            }
        }
        paths
    }

    fn body(&self, name: &str, shape: &Shape) -> SharedBody {
        match shape {
            Shape::Choice(values) => SharedBody::Choice(values.clone()),
            Shape::Object(object) => SharedBody::Struct(Types::of_definition(name, object, self)),
            _ => SharedBody::Choice(Vec::new()),
        }
    }

    pub(super) fn target(&self, name: &str) -> Option<&Target> {
        self.targets.get(name)
    }

    /// Whether a property of the definition `of` has to lie behind a pointer.
    pub(super) fn is_circular(&self, of: Option<&str>, property: &Property) -> bool {
        let part = of.and_then(|of| self.part(of, property));
        part.is_some_and(|part| self.circular.contains(&part))
    }

    fn part(&self, of: &str, property: &Property) -> Option<Part> {
        let part = self.named(&property.member.shape)?;
        Some(Part {
            of: of.to_owned(),
            part: part.to_owned(),
            is_optional: is_optional(property),
        })
    }

    /// The definition that is emitted for a shape, which may refer to another that refers to it.
    fn named<'a>(&'a self, mut shape: &'a Shape) -> Option<&'a str> {
        // No more definitions can stand in a row than there are.
        for _ in 0..=self.targets.len() {
            let Shape::Definition(name) = shape else {
                return None;
            };
            match self.target(name)? {
                Target::Named(_) => return Some(name),
                Target::BuiltIn(_) => return None,
                Target::Inline(member) => shape = &member.shape,
            }
        }
        None
    }

    fn find_circles<'a>(&mut self, objects: impl Iterator<Item = (&'a str, &'a Object)>) {
        let mut parts = BTreeSet::new();
        for (name, object) in objects {
            self.parts(name, object, &mut parts);
        }
        // A circle is cut where something may be absent; only if all of it has to be there, anywhere.
        let mut optional = circles(&parts);
        optional.retain(|part| part.is_optional);
        parts.retain(|part| !optional.contains(part));
        self.circular = circles(&parts);
        self.circular.extend(optional);
    }

    fn parts(&self, of: &str, object: &Object, parts: &mut BTreeSet<Part>) {
        for property in &object.properties {
            match &property.member.shape {
                Shape::Object(inner) => self.parts(of, inner, parts),
                _ => parts.extend(self.part(of, property)),
            }
        }
    }
}

/// Whether a property is an `Option` anyway.
pub(super) fn is_optional(property: &Property) -> bool {
    property.member.nullable || !(property.required || property.default.is_some())
}

/// Those parts from which a way leads back.
fn circles(parts: &BTreeSet<Part>) -> BTreeSet<Part> {
    let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for part in parts {
        below.entry(&part.of).or_default().push(&part.part);
    }
    let leads_back = |part: &&Part| {
        let mut seen = BTreeSet::new();
        let mut open = vec![part.part.as_str()];
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(below.get(next).into_iter().flatten());
            }
        }
        seen.contains(part.of.as_str())
    };
    parts.iter().filter(leads_back).cloned().collect()
}

/// No group of kinds has its name.
fn module(kinds: &[CustomKind]) -> String {
    let taken = kinds
        .iter()
        .any(|kind| group_module(&kind.id.group) == MODULE);
    format!("{MODULE}{}", if taken { "_" } else { "" })
}

/// Where the objects of kinds are, by their definitions. One that several kinds share is none's own.
fn kind_places(kinds: &[CustomKind]) -> BTreeMap<&str, Place> {
    let mut places = BTreeMap::new();
    let mut several = BTreeSet::new();
    for kind in kinds {
        let Some(name) = kind.definition() else {
            continue;
        };
        let mut place = kind_modules(&kind.id).to_vec();
        place.push(kind_type(&kind.id.kind));
        if places.insert(name, place).is_some() {
            several.insert(name);
        }
    }
    places.retain(|name, _| !several.contains(name));
    places
}

enum Found {
    BuiltIn(String),
    Member(Member),
}

/// Looks up all that is referred to.
struct Search<'a> {
    model: &'a Model,
    built_in: &'a BuiltIn,
    kinds: BTreeMap<&'a str, Place>,
    found: BTreeMap<String, Found>,
}

impl Search<'_> {
    fn object(&mut self, object: &Object) {
        for property in &object.properties {
            self.member(&property.member);
        }
        if let Some(rest) = &object.rest {
            self.member(rest);
        }
    }

    fn member(&mut self, member: &Member) {
        match &member.shape {
            Shape::Object(object) => self.object(object),
            Shape::List(inner) | Shape::Map(inner) => self.member(inner),
            Shape::Definition(name) => self.definition(name),
            _ => {}
        }
    }

    fn definition(&mut self, name: &str) {
        if self.kinds.contains_key(name) || self.found.contains_key(name) {
            return;
        }
        if let Some(path) = self.built_in.path(name) {
            self.found.insert(name.to_owned(), Found::BuiltIn(path));
            return;
        }
        let member = foreign::member(self.model, name).unwrap_or_else(Member::any);
        // First, as it may refer to itself.
        self.found
            .insert(name.to_owned(), Found::Member(member.clone()));
        self.member(&member);
    }
}

fn is_named(shape: &Shape) -> bool {
    matches!(shape, Shape::Object(_) | Shape::Choice(_))
}
