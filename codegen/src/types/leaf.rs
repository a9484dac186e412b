//! What single fields are, by their paths in JSON: `spec.color`.

use super::{Body, Field, Struct, Type, Types, reuse, spelt_below};
use crate::model::Shape;
use crate::suggest::nearest;

/// A value that has a text of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// An enum of texts.
    Choice,
    Text,
    Boolean,
    I32,
    I64,
    /// Another one, of which the text is what is shown: a time, an unsigned number.
    Shown,
}

impl Types {
    /// What stands at a path of fields; `None` for what has no text, for what is in a list or map, and for what is not known here.
    pub(crate) fn leaf(&self, path: &str) -> Option<Leaf> {
        let mut of = &self.root;
        let mut segments = path.split('.');
        loop {
            match self.step(of, segments.next()?)? {
                Step::Into(below) => of = below,
                Step::Choice => return segments.next().is_none().then_some(Leaf::Choice),
                Step::Plain(plain) => return segments.next().is_none().then(|| leaf(plain))?,
                Step::BuiltIn(shape) => return in_built_in(shape, segments),
            }
        }
    }

    /// The names in Rust of the fields on a path, where they are other ones than the rule gives.
    pub(crate) fn other_names(&self, path: &str) -> Vec<Option<&str>> {
        let mut of = Some(&self.root);
        let names = path.split('.').map(|segment| {
            let field = of.and_then(|of| field(of, segment));
            of = match of.and_then(|of| self.step(of, segment)) {
                Some(Step::Into(below)) => Some(below),
                _ => None,
            };
            field
                .map(|field| field.name.as_str())
                .filter(|name| *name != larder_naming::field_name(segment))
        });
        names.collect()
    }

    /// The nearest path with a [`Leaf`] to one that no field stands at; those of Kubernetes' own types aside.
    pub(crate) fn nearest_leaf(&self, wrong: &str) -> Option<String> {
        let fields = self.structs().flat_map(|(path, of)| {
            let fields = of.fields.iter();
            fields.map(move |field| spelt_below(path, &field.json))
        });
        let paths: Vec<String> = fields.collect();
        if paths.iter().any(|path| path == wrong) {
            return None;
        }
        let leaves = paths.iter().map(String::as_str);
        nearest(wrong, leaves.filter(|path| self.leaf(path).is_some()))
    }

    fn step<'a>(&'a self, of: &'a Struct, segment: &str) -> Option<Step<'a>> {
        let plain = match field(of, segment)?.of_type.present() {
            Type::Boxed(inner) => inner.present(),
            of_type => of_type,
        };
        let Type::Named(place) = plain else {
            return Some(Step::Plain(plain));
        };
        Some(match self.find(place)? {
            Body::Struct(below) => Step::Into(below),
            Body::Choice(_) => Step::Choice,
            Body::BuiltIn(path) => Step::BuiltIn(reuse::shape(path)?),
            Body::Alias(_) | Body::Definition(_) => return None,
        })
    }
}

enum Step<'a> {
    Into(&'a Struct),
    BuiltIn(&'static Shape),
    Choice,
    Plain(&'a Type),
}

fn field<'a>(of: &'a Struct, segment: &str) -> Option<&'a Field> {
    of.fields.iter().find(|field| field.json == segment)
}

fn leaf(plain: &Type) -> Option<Leaf> {
    Some(match plain {
        Type::Text => Leaf::Text,
        Type::Boolean => Leaf::Boolean,
        Type::I32 => Leaf::I32,
        Type::I64 => Leaf::I64,
        Type::DateTime | Type::IntOrString => Leaf::Shown,
        _ => return None,
    })
}

/// Fields of Kubernetes' own types have the names that the rule gives.
fn in_built_in<'a>(shape: &Shape, segments: impl Iterator<Item = &'a str>) -> Option<Leaf> {
    let mut shape = shape;
    for segment in segments {
        let Shape::Object(object) = shape else {
            return None;
        };
        let mut properties = object.properties.iter();
        shape = &properties.find(|p| p.name == segment)?.member.shape;
    }
    Some(match shape {
        Shape::Text => Leaf::Text,
        Shape::Boolean => Leaf::Boolean,
        Shape::I32 => Leaf::I32,
        Shape::I64 => Leaf::I64,
        _ => return None,
    })
}
