//! What the user asks for at single paths of a schema.

use super::places::spelt_below;
use crate::error::{Diagnostics, Error, Problem};
use crate::model::{Member, Object, Shape};
use crate::suggest::nearest;

/// An option of one path, or of all paths with one end.
#[derive(Debug, Clone)]
pub(crate) struct PathOption {
    /// The option's name, for errors.
    pub(crate) option: &'static str,
    /// The kind, as `cert-manager.io/v1/Certificate`, or the definition of a document; `*` for all.
    pub(crate) kind: String,
    /// The path, as in `field!`: `spec.template`, `spec.containers[].image`; with `**.` in front, at any depth.
    pub(crate) path: String,
    pub(crate) action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// This type of the user's.
    Use(String),
    /// `serde_json::Value`.
    Prune,
    /// A `Box` around it.
    Box,
    /// Nothing: the property is not there.
    Skip,
}

impl Action {
    /// Whether it is for properties alone: an item of a list, or a value of a map, cannot be left out or put elsewhere.
    fn is_for_properties(&self) -> bool {
        match self {
            Self::Box | Self::Skip => true,
            Self::Use(_) | Self::Prune => false,
        }
    }

    /// What its path has to be, for errors.
    fn place(&self) -> &'static str {
        if self.is_for_properties() {
            "path of a property in the kind's schema; paths are written as `spec.items[].name`"
        } else {
            "path of the kind's schema; paths are written as `spec.items[].name`"
        }
    }
}

impl PathOption {
    fn is_for(&self, name: &str) -> bool {
        self.kind == "*" || self.kind == name
    }

    fn matches(&self, path: &str) -> bool {
        match self.path.strip_prefix("**.") {
            None => self.path == path,
            Some(end) => path
                .strip_suffix(end)
                .is_some_and(|before| before.is_empty() || before.ends_with('.')),
        }
    }
}

/// Applies all options to the objects of kinds and of definitions, which come with their names. One that fits nothing is an error.
pub(crate) fn apply<'a>(
    objects: impl Iterator<Item = (String, &'a mut Object)>,
    options: &[PathOption],
    diagnostics: &mut Diagnostics,
) {
    if options.is_empty() {
        return;
    }
    for option in options {
        if let Action::Use(path) = &option.action
            && syn::parse_str::<syn::Type>(path).is_err()
        {
            let path = path.clone();
            diagnostics.push(Error::of_option(option.option, Problem::NotAType { path }));
        }
    }
    let mut visit = Visit {
        options,
        used: vec![false; options.len()],
        paths: vec![Vec::new(); options.len()],
    };
    let mut names = Vec::new();
    for (name, object) in objects {
        let wanted: Vec<usize> = (0..options.len())
            .filter(|at| options[*at].is_for(&name))
            .collect();
        visit.object(object, "", &wanted);
        names.push(name);
    }
    for (at, option) in options.iter().enumerate() {
        if visit.used[at] {
            continue;
        }
        let (what, word, suggestion) = if option.kind != "*" && !names.contains(&option.kind) {
            let names = names.iter().map(String::as_str);
            (
                "kind of these definitions; kinds are written as `cert-manager.io/v1/Certificate`",
                &option.kind,
                nearest(&option.kind, names),
            )
        } else {
            let paths = visit.paths[at].iter().map(String::as_str);
            (
                option.action.place(),
                &option.path,
                nearest(&option.path, paths),
            )
        };
        diagnostics.push(Error::of_option(
            option.option,
            Problem::Unknown {
                what,
                word: word.clone(),
                suggestion,
            },
        ));
    }
}

struct Visit<'a> {
    options: &'a [PathOption],
    used: Vec<bool>,
    /// The paths that an unused option was compared with, to find what was meant.
    paths: Vec<Vec<String>>,
}

impl Visit<'_> {
    fn object(&mut self, object: &mut Object, path: &str, wanted: &[usize]) {
        object.properties.retain_mut(|property| {
            let path = spelt_below(path, &property.name);
            match self.action(&path, wanted, true) {
                Some(Action::Skip) => return false,
                Some(Action::Box) => property.boxed = true,
                Some(other) => {
                    replace(&mut property.member, &other);
                    // A default of the schema's may be no value of the new type.
                    if matches!(other, Action::Use(_)) {
                        property.default = None;
                    }
                }
                None => {}
            }
            self.member(&mut property.member, &path, wanted);
            true
        });
        if let Some(rest) = &mut object.rest {
            self.inner(rest, path, wanted);
        }
    }

    fn member(&mut self, member: &mut Member, path: &str, wanted: &[usize]) {
        match &mut member.shape {
            Shape::Object(object) => self.object(object, path, wanted),
            Shape::List(inner) | Shape::Map(inner) => self.inner(inner, path, wanted),
            _ => {}
        }
    }

    /// Items of a list, values of a map.
    fn inner(&mut self, member: &mut Member, path: &str, wanted: &[usize]) {
        let path = format!("{path}[]");
        if let Some(action) = self.action(&path, wanted, false) {
            replace(member, &action);
        }
        self.member(member, &path, wanted);
    }

    fn action(&mut self, path: &str, wanted: &[usize], is_property: bool) -> Option<Action> {
        let mut action = None;
        for at in wanted {
            let option = &self.options[*at];
            if option.action.is_for_properties() && !is_property {
                continue;
            }
            if option.matches(path) {
                self.used[*at] = true;
                action = Some(option.action.clone());
            } else if !self.used[*at] {
                self.paths[*at].push(path.to_owned());
            }
        }
        action
    }
}

fn replace(member: &mut Member, action: &Action) {
    match action {
        Action::Use(path) => member.shape = Shape::Foreign(path.clone()),
        Action::Prune => member.shape = Shape::Any,
        Action::Box | Action::Skip => {}
    }
}
