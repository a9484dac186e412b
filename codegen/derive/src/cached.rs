//! `cached!`: a type and what its kind is.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Error, Path, PathArguments, Result, Token, Visibility};

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
        return Err(input.error(format!("a type and its kind are needed: {WHOLE}")));
    }
    let vis: Visibility = input.parse()?;
    let path: Path = input.parse()?;
    let span = path.span();
    let Some(last) = path.segments.last() else {
        return Err(Error::new(span, format!("a type is needed: {WHOLE}")));
    };
    if let Some(with) = path
        .segments
        .iter()
        .find(|s| !matches!(s.arguments, PathArguments::None))
    {
        return Err(Error::new(
            with.arguments.span(),
            "a kind has one type: give an alias a name, `type Gadget = Generic<Part>;`, and name that here",
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
