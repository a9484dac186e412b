//! Names of fields, variants and kinds.
//!
//! Several names in JSON may give one in Rust. Then none of them gets it, so that nothing which goes by the rule alone,
//! such as `field!`, takes one for the other: each is spelt out instead.

use std::collections::{BTreeMap, BTreeSet};

use larder_naming::{escape_keyword, field_name, group_module, snake_case};

use crate::model::{KindId, Object};

/// The variant for values that a definition does not have.
const OTHER: &str = "Other";

/// The fields of an object.
pub(super) struct FieldNames {
    pub(super) properties: Vec<String>,
    pub(super) rest: String,
}

/// `path` is that of the object; a kind's own object has `metadata` beside its properties.
pub(super) fn field_names(object: &Object, path: &str) -> FieldNames {
    let mut names: Vec<&str> = object.properties.iter().map(|p| p.name.as_str()).collect();
    names.extend(path.is_empty().then_some("metadata"));
    let mut properties = properties(&names);
    properties.truncate(object.properties.len());
    let mut rest = "rest".to_owned();
    while properties.contains(&rest) {
        rest.push('_');
    }
    FieldNames { properties, rest }
}

/// The fields of the properties of one object.
pub(super) fn properties(names: &[&str]) -> Vec<String> {
    distinct(names, field_name, |name| escape_keyword(spelt_out(name)))
}

/// A name for each of `texts`, all different: the plain one, or, for all that share it, the one that is spelt out.
pub(crate) fn distinct(
    texts: &[&str],
    plain: impl Fn(&str) -> String,
    spelt_out: impl Fn(&str) -> String,
) -> Vec<String> {
    let plain: Vec<String> = texts.iter().map(|text| plain(text)).collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &plain {
        *uses.entry(name).or_default() += 1;
    }
    let is_shared = |name: &str| uses.get(name).is_some_and(|uses| *uses > 1);
    let mut taken: BTreeSet<String> = plain.iter().cloned().collect();
    let named = texts.iter().zip(&plain).map(|(text, plain)| {
        if !is_shared(plain) {
            return plain.clone();
        }
        let mut name = spelt_out(text);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    });
    named.collect()
}

/// `fooBar` → `foo_upper_bar`, `foo_bar` → `foo_underscore_bar`, `foo-bar` → `foo_dash_bar`.
pub(crate) fn spelt_out(name: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in name.chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            word.push(c);
            continue;
        }
        words.push(std::mem::take(&mut word));
        if c.is_ascii_uppercase() {
            words.push("upper".to_owned());
            word.push(c.to_ascii_lowercase());
        } else {
            words.push(character(c).to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    let name = words.join("_");
    if name.is_empty() {
        // `_` alone is no name.
        "_empty".to_owned()
    } else if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        name
    } else {
        format!("_{name}")
    }
}

/// What a character that no name can have is called.
fn character(c: char) -> String {
    let name = match c {
        '_' => "Underscore",
        '-' => "Dash",
        '.' => "Dot",
        '/' => "Slash",
        '\\' => "Backslash",
        ':' => "Colon",
        ';' => "Semicolon",
        ',' => "Comma",
        ' ' => "Space",
        '*' => "Star",
        '+' => "Plus",
        '=' => "Equal",
        '!' => "Not",
        '<' => "Less",
        '>' => "Greater",
        '~' => "Tilde",
        '^' => "Caret",
        '$' => "Dollar",
        '%' => "Percent",
        '&' => "And",
        '|' => "Bar",
        '@' => "At",
        '#' => "Hash",
        '?' => "Question",
        other => return format!("U{:x}", u32::from(other)),
    };
    name.to_owned()
}

/// The variants of an enum's values, and the one for all others.
pub(crate) fn variant_names(values: &[String]) -> (Vec<String>, String) {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let names = distinct(&values, variant, |value| {
        identifier(&spelt_out_variant(value))
    });
    let mut other = OTHER.to_owned();
    while names.contains(&other) {
        other.push('_');
    }
    (names, other)
}

/// `read-write` → `ReadWrite`, `TLSv1.3` → `TLSv1_3`, `""` → `Empty`, `!=` → `NotEqual`.
fn variant(value: &str) -> String {
    if value.is_empty() {
        return "Empty".to_owned();
    }
    if !value.contains(|c: char| c.is_ascii_alphanumeric()) {
        return identifier(&value.chars().map(character).collect::<String>());
    }
    let mut name = String::new();
    for word in value.split(|c: char| !c.is_ascii_alphanumeric()) {
        let is_digit = |c: char| c.is_ascii_digit();
        if name.ends_with(is_digit) && word.starts_with(is_digit) {
            name.push('_');
        }
        push_capitalised(&mut name, word);
    }
    identifier(&name)
}

/// `fooBar` → `LowerFooBar`, `FooBar` → `UpperFooBar`, `foo-bar` → `LowerFooDashBar`.
pub(super) fn spelt_out_variant(value: &str) -> String {
    let mut name = match value.chars().next() {
        Some(c) if c.is_ascii_lowercase() => "Lower".to_owned(),
        Some(c) if c.is_ascii_uppercase() => "Upper".to_owned(),
        _ => String::new(),
    };
    let mut word = String::new();
    for c in value.chars() {
        if c.is_ascii_alphanumeric() {
            word.push(c);
        } else {
            push_capitalised(&mut name, &std::mem::take(&mut word));
            name.push_str(&character(c));
        }
    }
    push_capitalised(&mut name, &word);
    name
}

pub(super) fn push_capitalised(name: &mut String, word: &str) {
    let mut chars = word.chars();
    if let Some(first) = chars.next() {
        name.push(first.to_ascii_uppercase());
        name.push_str(chars.as_str());
    }
}

pub(super) fn identifier(name: &str) -> String {
    let name = escape_keyword(name.to_owned());
    if name.is_empty() {
        "Empty".to_owned()
    } else if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// The type of a kind: the kind, in which a letter of lower case in front and what no name can have are changed.
///
/// ```text
/// Certificate → Certificate, virtual-machine → VirtualMachine, R → RKind, Self → SelfKind
/// ```
pub(crate) fn kind_type(kind: &str) -> String {
    let mut name = String::new();
    for word in kind.split(|c: char| !c.is_ascii_alphanumeric()) {
        push_capitalised(&mut name, word);
    }
    // Type parameters of emitted code are single letters; of types no other word is a keyword.
    if name.len() == 1 || name == "Self" {
        name.push_str("Kind");
    }
    identifier(&name)
}

/// The modules of a kind's group and version.
pub(crate) fn kind_modules(id: &KindId) -> [String; 2] {
    let version = escape_keyword(snake_case(&id.version));
    [group_module(&id.group), version]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_colliding_properties_none_has_the_plain_name() {
        let of = |names: &[&str]| {
            distinct(names, field_name, |name| escape_keyword(spelt_out(name))).join(" ")
        };
        assert_eq!(of(&["initContainers", "image"]), "init_containers image");
        assert_eq!(
            of(&["initContainers", "init_containers"]),
            "init_upper_containers init_underscore_containers"
        );
        assert_eq!(
            of(&["fooBar", "foo_bar", "foo-bar", "foo_dash_bar"]),
            "foo_upper_bar foo_underscore_bar foo_dash_bar_ foo_dash_bar"
        );
        assert_eq!(of(&["type", "type_"]), "type__ type_underscore");
        assert_eq!(of(&["1", "_1"]), "_1_ underscore_1");
        assert_eq!(of(&["", "empty"]), "_empty empty_");
    }

    #[test]
    fn variants_are_named_after_their_values() {
        let of = |values: &[&str]| {
            let values: Vec<String> = values.iter().map(|v| (*v).to_owned()).collect();
            let (names, other) = variant_names(&values);
            format!("{} {other}", names.join(" "))
        };
        for (values, names) in [
            (&["ReadWriteOnce", "h2c"][..], "ReadWriteOnce H2c Other"),
            (
                &["", "*", "!=", "=~"],
                "Empty Star NotEqual EqualTilde Other",
            ),
            (&["1.2", "TLSv1.3", "-1"], "_1_2 TLSv1_3 _1 Other"),
            (&["Other", "self"], "Other Self_ Other_"),
            (&["createdb", "CREATEDB"], "Createdb CREATEDB Other"),
            (&["Always", "always"], "UpperAlways LowerAlways Other"),
            (
                &["a-b", "a_b", "aB"],
                "LowerADashB LowerAUnderscoreB LowerAB Other",
            ),
            (&["a/b", "é"], "AB Ue9 Other"),
        ] {
            assert_eq!(of(values), names);
        }
    }

    #[test]
    fn kinds_become_types() {
        for (kind, name) in [
            ("Certificate", "Certificate"),
            ("HTTPRoute", "HTTPRoute"),
            ("virtual-machine", "VirtualMachine"),
            ("Self", "SelfKind"),
            ("self", "SelfKind"),
            ("R", "RKind"),
        ] {
            assert_eq!(kind_type(kind), name);
        }
    }
}
