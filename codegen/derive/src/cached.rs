//! `cached!`: a type and what its kind is.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Error, Path, Result, Token, Type, TypePath, Visibility};

use crate::existing::{Object, emit, existing};
use crate::said::{Reader, Said};

const WHOLE: &str = "`cached!(Gadget, group = \"example.com\", version = \"v1\", namespaced)`";

/// Expands `$crate; pub Gadget, group = "…", …`.
pub(crate) fn cached(input: TokenStream) -> Result<TokenStream> {
    read.parse2(input)
}

fn read(input: ParseStream<'_>) -> Result<TokenStream> {
    let runtime = input.call(Path::parse_mod_style)?.into_token_stream();
    input.parse::<Token![;]>()?;
    if input.is_empty() {
        return Err(input.error(no_type()));
    }
    let vis: Visibility = input.parse()?;
    let (path, span) = path(input)?;
    let Some(last) = path.segments.last() else {
        return Err(Error::new(span, no_type()));
    };
    let mut arguments = path.segments.iter().map(|segment| &segment.arguments);
    if let Some(of) = arguments.find(|arguments| !arguments.is_none()) {
        return Err(Error::new(
            of.span(),
            "a kind has one type: give it a name, `type Gadget = Generic<Part>;`, and name that here",
        ));
    }
    let name = last.ident.clone();
    let in_scope = path.get_ident().is_some();
    let object = Object {
        name,
        import: (!in_scope).then(|| path.to_token_stream()),
        vis,
    };
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    let mut said = Said::default();
    said.read(input, Reader::Cached)?;
    let existing = existing(&said, object, (span, WHOLE), str::to_owned)?;
    emit(existing, runtime, span)
}

/// The path of a type, and where it stands.
fn path(input: ParseStream<'_>) -> Result<(Path, Span)> {
    let span = input.span();
    let mut of_type: Type = input.parse().map_err(|_| Error::new(span, no_type()))?;
    // In which a `macro_rules!` macro hands on its `$object:ty`.
    while let Type::Group(group) = of_type {
        of_type = *group.elem;
    }
    match of_type {
        Type::Path(TypePath {
            qself: None, path, ..
        }) => Ok((path, span)),
        other => Err(Error::new(other.span(), no_type())),
    }
}

fn no_type() -> String {
    format!("the name of a type is needed, and what its kind is: {WHOLE}")
}
