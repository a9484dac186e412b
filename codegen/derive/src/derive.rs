//! The derive `Cached`: the kind is what kube's derive is told.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Data, DeriveInput, Error, Fields, LitStr, Result, Token};

use crate::existing::{Object, emit, existing};
use crate::said::{Reader, Said};

const WHOLE: &str = "as for kube's `CustomResource`, write `#[kube(group = \"example.com\", version = \"v1\", kind = \"Gadget\")]`. A type \
    that kube does not derive is cached by `larder::cached!`";

pub(crate) fn derive(input: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    if !input.generics.params.is_empty() {
        return Err(Error::new(
            input.generics.span(),
            "a kind has one type: its spec has no parameters",
        ));
    }
    let mut said = Said::default();
    for attribute in &input.attrs {
        let reader = if attribute.path().is_ident("kube") {
            Reader::Kube
        } else if attribute.path().is_ident("larder") {
            Reader::Larder
        } else {
            continue;
        };
        attribute.parse_args_with(|input: ParseStream<'_>| said.read(input, reader))?;
    }
    let name = object_name(&said, input.ident.span())?;
    let object = Object {
        name,
        import: None,
        vis: input.vis.clone(),
    };
    let span = input.ident.span();
    let renamed = renamed(&input.data)?;
    let field = |path: &str| in_rust(path, &said, &renamed);
    let existing = existing(&said, object, (span, WHOLE), field)?;
    let runtime = match &said.runtime {
        Some(path) => path
            .parse_with(syn::Path::parse_mod_style)
            .map_err(|_| {
                Error::new(
                    path.span(),
                    "this is no path of a crate, such as `::larder`",
                )
            })?
            .to_token_stream(),
        None => quote! { ::larder },
    };
    emit(existing, runtime, span)
}

/// The type that kube's derive makes.
fn object_name(said: &Said, span: Span) -> Result<Ident> {
    let Some(literal) = said.root.as_ref().or(said.kind.as_ref()) else {
        return Err(Error::new(
            span,
            format!("`kind = \"…\"` is missing, the name of the kind, such as `Gadget`: {WHOLE}"),
        ));
    };
    let wrong = |_| Error::new(literal.span(), "this is no name of a Rust type");
    let mut name = literal.parse::<Ident>().map_err(wrong)?;
    name.set_span(Span::call_site().located_at(literal.span()));
    Ok(name)
}

/// The fields of the spec by the names that they have in JSON, where an attribute says such.
fn renamed(data: &Data) -> Result<Vec<(String, Ident)>> {
    let Data::Struct(data) = data else {
        return Ok(Vec::new());
    };
    let Fields::Named(fields) = &data.fields else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let json = match rename(&field.attrs)? {
            Some(json) => json,
            None => ident.unraw().to_string(),
        };
        all.push((json, ident.clone()));
    }
    Ok(all)
}

/// What serde's attribute says a field is called when it is read.
fn rename(attributes: &[Attribute]) -> Result<Option<String>> {
    let mut name = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") && meta.input.peek(syn::token::Paren) {
                return meta.parse_nested_meta(|inner| {
                    let text: LitStr = inner.value()?.parse()?;
                    if inner.path.is_ident("deserialize") {
                        name = Some(text.value());
                    }
                    Ok(())
                });
            }
            if meta.input.peek(Token![=]) {
                let value: syn::Expr = meta.value()?.parse()?;
                if let (
                    true,
                    syn::Expr::Lit(syn::ExprLit {
                        lit: syn::Lit::Str(text),
                        ..
                    }),
                ) = (meta.path.is_ident("rename"), value)
                {
                    name = Some(text.value());
                }
            } else if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                inner.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    Ok(name)
}

/// A path as `field!` takes it, with the field's name where it is known to be another than the property's.
fn in_rust(path: &str, said: &Said, renamed: &[(String, Ident)]) -> String {
    let mut segments: Vec<String> = path.split('.').map(str::to_owned).collect();
    let at_root = |first: &str| matches!(first, "metadata" | "status");
    if said.no_spec && !segments.first().is_some_and(|first| at_root(first)) {
        segments.insert(0, "spec".to_owned());
    }
    if let [first, second, ..] = &mut segments[..]
        && first == "spec"
        && let Some((_, field)) = renamed.iter().find(|(json, _)| json == second)
    {
        *second = format!("{second} as {field}");
    }
    segments.join(".")
}
