//! From what was said to what the generator takes.

use larder_codegen::{Existing, KindId, Scope, SelectablePath};
use proc_macro2::{Ident, Span, TokenStream};
use syn::{Error, LitStr, Result};

use crate::plural::plural;
use crate::said::Said;

/// The object's type.
pub(crate) struct Object {
    pub(crate) name: Ident,
    pub(crate) import: Option<TokenStream>,
    pub(crate) vis: syn::Visibility,
}

/// `whole` says how everything is given, for who forgot something; errors about that stand at `span`. `field` is how `field!` takes
/// a path.
pub(crate) fn existing(
    said: &Said,
    object: Object,
    (span, whole): (Span, &str),
    field: impl Fn(&str) -> String,
) -> Result<Existing> {
    let needed = |what: &Option<LitStr>, key: &str, example: &str| match what {
        Some(text) => Ok(text.clone()),
        None => Err(Error::new(
            span,
            format!(
                "`{key} = \"…\"` is missing, the {key} of the kind, such as `{example}`: {whole}"
            ),
        )),
    };
    let group = needed(&said.group, "group", "example.com")?;
    let version = needed(&said.version, "version", "v1")?;
    check_parts(&group, &version)?;
    let kind = match &said.kind {
        Some(kind) => text(kind, "the kind, such as `Gadget`", |c| {
            c.is_ascii_alphanumeric()
        })?,
        None => object.name.to_string(),
    };
    let singular = said.singular.as_ref().map(LitStr::value);
    let singular = singular.unwrap_or_else(|| kind.to_ascii_lowercase());
    let plural = match &said.plural {
        Some(given) => text(
            given,
            "the plural as it stands in paths, such as `gadgets`",
            in_a_path,
        )?,
        None => plural(&singular),
    };
    let module = said.module.as_ref().map(|module| {
        let wrong = |_| Error::new(module.span(), "this is no name of a Rust module");
        module.parse::<Ident>().map_err(wrong)
    });
    let paths = said.selectable.iter().map(|path| selectable(path, &field));
    let mut selectable: Vec<SelectablePath> = Vec::new();
    for path in paths {
        let path = path?;
        // The second time, where it says what the field is called, or in kube's attribute.
        match selectable.iter_mut().find(|other| other.path == path.path) {
            Some(other) if path.field.contains(" as ") => *other = path,
            Some(_) => {}
            None => selectable.push(path),
        }
    }
    Ok(Existing {
        name: object.name,
        import: object.import,
        vis: object.vis,
        module: module.transpose()?,
        id: KindId::new(&group.value(), &version.value(), &kind),
        plural,
        scope: match said.namespaced {
            true => Scope::Namespaced,
            false => Scope::Cluster,
        },
        subresources: said.subresources.clone(),
        selectable,
    })
}

/// What the generator made of it.
pub(crate) fn emit(existing: Existing, runtime: TokenStream, span: Span) -> Result<TokenStream> {
    let emitted = existing.emit(runtime);
    emitted.map_err(|errors| Error::new(span, errors))
}

fn check_parts(group: &LitStr, version: &LitStr) -> Result<()> {
    for part in [group, version] {
        if part.value().contains('/') {
            return Err(Error::new(
                part.span(),
                "group and version are two keys: `group = \"example.com\", version = \"v1\"`",
            ));
        }
    }
    // The core group's name is empty.
    if !group.value().is_empty() {
        text(group, "the group, such as `example.com`", in_a_path)?;
    }
    text(version, "the version, such as `v1`", in_a_path)?;
    Ok(())
}

fn in_a_path(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '-' | '.')
}

/// The text of a literal, which is not empty and of certain characters alone.
fn text(literal: &LitStr, what: &str, allowed: fn(char) -> bool) -> Result<String> {
    let text = literal.value();
    let wrong = |why: String| {
        Err(Error::new(
            literal.span(),
            format!("here stands {what}; {why}"),
        ))
    };
    match text.chars().find(|c| !allowed(*c)) {
        Some(c) => wrong(format!("it has no {c:?}")),
        None if text.is_empty() => wrong("it is not empty".to_owned()),
        None => Ok(text),
    }
}

/// A path as a definition has it, `.spec.color`. Where a field is called otherwise than its property: `.spec.count as total`.
fn selectable(literal: &LitStr, field: impl Fn(&str) -> String) -> Result<SelectablePath> {
    let span = literal.span();
    let text = literal.value();
    let text = text.strip_prefix('.').unwrap_or(&text);
    let json = |segment: &str| match segment.split_once(" as ") {
        Some((json, _)) => json.to_owned(),
        None => segment.to_owned(),
    };
    let names: Vec<String> = text.split('.').map(json).collect();
    let is_name =
        |name: &String| !name.is_empty() && !name.contains(['[', ']', '\'', '"', ' ', '*']);
    let is_field = |segment: &str| {
        let field = segment.split_once(" as ");
        field.is_none_or(|(_, field)| syn::parse_str::<Ident>(field).is_ok())
    };
    if !names.iter().all(is_name) || !text.split('.').all(is_field) {
        return Err(Error::new(
            span,
            "here stands the path of a field, such as `.spec.color`: names of properties with dots between; where a Rust field is \
             called otherwise than its property, `.spec.count as total`",
        ));
    }
    Ok(SelectablePath {
        path: names.join("."),
        field: field(text),
        // Lints do not look into what macros expand to, if it is of their context.
        span: Span::call_site().located_at(span),
    })
}
