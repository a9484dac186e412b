//! Names of definitions: `com.example.wardle.v1.FlunderSpec` is `com_example_wardle_v1::FlunderSpec`.

use std::collections::BTreeMap;

use larder_naming::{escape_keyword, module_name, snake_case};

use super::names::{distinct, identifier, kind_type, spelt_out, spelt_out_variant};

/// The package of a definition whose name has none.
const ROOT: &str = "root";

/// The names of an emitted definition.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SharedNames {
    /// The module of its package, below that of all definitions.
    pub(crate) package: String,
    pub(crate) type_name: String,
    /// The module of what it is made of, beside it.
    pub(crate) module: String,
}

/// The names of each definition. Of those that collide none gets the plain one, as with fields.
pub(super) fn name_all<'a>(
    definitions: impl Iterator<Item = &'a str>,
) -> BTreeMap<&'a str, SharedNames> {
    let mut packages: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for definition in definitions {
        let (package, name) = definition.rsplit_once('.').unwrap_or((ROOT, definition));
        let package = packages.entry(package).or_default();
        package.insert(name, definition);
    }
    let texts: Vec<&str> = packages.keys().copied().collect();
    let modules = distinct(
        &texts,
        |package| escape_keyword(snake_case(package)),
        |package| escape_keyword(spelt_out(package)),
    );
    let mut named = BTreeMap::new();
    for (definitions, package) in packages.values().zip(modules) {
        let names: Vec<&str> = definitions.keys().copied().collect();
        let types = distinct(&names, kind_type, |name| {
            identifier(&spelt_out_variant(name))
        });
        let texts: Vec<&str> = types.iter().map(String::as_str).collect();
        let modules = distinct(&texts, module_name, |name| escape_keyword(spelt_out(name)));
        let names = types
            .iter()
            .zip(modules)
            .map(|(type_name, module)| SharedNames {
                package: package.clone(),
                type_name: type_name.clone(),
                module,
            });
        named.extend(definitions.values().copied().zip(names));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_names_never_collide() {
        let of = |definitions: &[&str]| {
            let named = name_all(definitions.iter().copied());
            let named = named.values().map(|names| {
                let SharedNames {
                    package,
                    type_name,
                    module,
                } = names;
                format!("{package}::{type_name} {module}")
            });
            named.collect::<Vec<_>>().join(", ")
        };
        for (definitions, names) in [
            (
                &["com.example.v1.Spec", "Spec"][..],
                "root::Spec spec, com_example_v1::Spec spec",
            ),
            (
                &["a-b.v1.Xy", "a_b.v1.Xy"],
                "a_dash_b_dot_v1::Xy xy, a_underscore_b_dot_v1::Xy xy",
            ),
            (
                &["p.FooBar", "p.Foo-Bar", "p.FooBAR"],
                "p::UpperFooDashBar upper_foo_dash_bar, p::FooBAR foo_bar, p::UpperFooBar upper_foo_bar",
            ),
            (
                &["type.Self", "type.1st"],
                "type_::_1st _1st, type_::SelfKind self_kind",
            ),
            (
                &["p.FooBAR", "p.FooBar"],
                "p::FooBAR upper_foo_upper_b_upper_a_upper_r, p::FooBar upper_foo_upper_bar",
            ),
            (&["p.a/b", "p."], "p::Empty empty, p::AB ab"),
        ] {
            assert_eq!(of(definitions), names);
        }
    }
}
