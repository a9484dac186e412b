//! Where each type stands and what it is called: it follows from its own path and nothing else.

use larder_naming::is_plain;

use super::names::{
    FieldNames, distinct, field_names, identifier, push_capitalised, spelt_out_variant,
};
use super::{Place, reuse};
use crate::model::{Member, Object, Shape};

/// Names that the module of a kind has for other things.
const RESERVED: [&str; 2] = ["Full", "Handles"];

/// A type that needs a name.
#[derive(Debug)]
pub(super) struct Named<'a> {
    /// The fields on the way to it, which no two types share.
    pub(super) path: String,
    /// The same as an object's path, as in `field!`.
    pub(super) spelt: String,
    /// Its modules below the kind's own, and its name.
    pub(super) place: Place,
    pub(super) shape: &'a Shape,
}

/// The path of a field.
pub(super) fn below(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
}

/// The names of all types below an object, in the order of their paths: `spec.privateKey.algorithm` →
/// `spec::private_key::Algorithm`.
pub(super) fn type_names(root: &Object) -> Vec<Named<'_>> {
    let mut named = Vec::new();
    collect(root, ["", ""], &[], &mut named);
    named
}

/// `private_key` → `PrivateKey`, `v_1_2` → `V1_2`.
fn capitalised(field: &str) -> String {
    let mut name = String::new();
    for word in field.split('_') {
        let is_digit = |c: char| c.is_ascii_digit();
        if name.ends_with(is_digit) && word.starts_with(is_digit) {
            name.push('_');
        }
        push_capitalised(&mut name, word);
    }
    identifier(&name)
}

/// The path of a property, as in `field!`.
pub(crate) fn spelt_below(path: &str, property: &str) -> String {
    if is_plain(property) {
        below(path, property)
    } else {
        below(path, &format!("{property:?}"))
    }
}

/// A member that needs a type.
struct Needed<'a, 'n> {
    field: &'n str,
    /// Its path as in `field!`.
    spelt: String,
    shape: &'a Shape,
}

/// The members of an object that need types. Its path is given by fields and as in `field!`.
fn needed<'a, 'n>(
    object: &'a Object,
    [path, spelt]: [&str; 2],
    names: &'n FieldNames,
) -> Vec<Needed<'a, 'n>> {
    let members = object.properties.iter().map(|property| {
        let spelt = spelt_below(spelt, &property.name);
        (spelt, &property.member)
    });
    let rest = object.rest.as_deref();
    let members = members.chain(rest.map(|rest| (format!("{spelt}[]"), rest)));
    let fields = names.properties.iter().chain([&names.rest]);
    let of_root = path.is_empty();
    let needed = fields.zip(members).filter_map(|(field, (spelt, member))| {
        let (shape, inside) = needs_name(member, of_root)?;
        Some(Needed {
            field,
            spelt: spelt + &inside,
            shape,
        })
    });
    needed.collect()
}

/// The types that the fields of an object need, in a module of their own. Its path is given by fields and as in `field!`.
fn collect<'a>(
    object: &'a Object,
    [path, spelt]: [&str; 2],
    module: &[String],
    named: &mut Vec<Named<'a>>,
) {
    let names = field_names(object, path);
    let needed = needed(object, [path, spelt], &names);
    let fields: Vec<&str> = needed.iter().map(|needed| needed.field).collect();
    let of_root = path.is_empty();
    let plain = |field: &str| {
        let mut name = capitalised(field);
        if of_root && RESERVED.contains(&name.as_str()) {
            name.push('_');
        }
        name
    };
    // `foo1` and `foo_1`, which cannot be told apart otherwise.
    let spelt_out = |field: &str| identifier(&spelt_out_variant(field));
    let type_names = distinct(&fields, plain, spelt_out);
    for (needed, name) in needed.iter().zip(type_names) {
        let (path, shape) = (below(path, needed.field), needed.shape);
        let mut place = module.to_vec();
        place.push(name);
        named.push(Named {
            path: path.clone(),
            spelt: needed.spelt.clone(),
            place,
            shape,
        });
        // What a type of Kubernetes is made of, it names itself.
        if let Shape::Object(object) = shape
            && reuse::find(shape).is_none()
        {
            let mut module = module.to_vec();
            module.push(module_of(needed.field, of_root));
            collect(object, [&path, &needed.spelt], &module, named);
        }
    }
}

/// Of lists and maps around a type there is no need to tell in its name: one field has one type at most. They are the second, as `[]`.
/// What a definition of the document describes has a name of its own; at the root it gets that of its path, too, as in other kinds.
fn needs_name(member: &Member, of_root: bool) -> Option<(&Shape, String)> {
    match &member.shape {
        Shape::List(inner) | Shape::Map(inner) => {
            let (shape, inside) = needs_name(inner, of_root)?;
            Some((shape, format!("[]{inside}")))
        }
        shape @ (Shape::Choice(_) | Shape::Object(_)) => Some((shape, String::new())),
        shape @ Shape::Definition(_) => of_root.then(|| (shape, String::new())),
        _ => None,
    }
}

/// The module of what a field's type is made of. It must not hide what emitted code, that of derives included, writes
/// without a path.
fn module_of(field: &str, of_root: bool) -> String {
    const PRIMITIVES: [&str; 17] = [
        "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128",
        "u16", "u32", "u64", "u8", "usize",
    ];
    if PRIMITIVES.contains(&field) || (of_root && field == "selectable") {
        format!("{field}_")
    } else {
        field.to_owned()
    }
}
