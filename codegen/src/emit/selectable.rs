//! `pod::selectable`: the fields that the server can select by.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{doc, inner_doc};
use super::{Context, emitted, ident};
use crate::error::Errors;
use crate::selectable::{Reads, Selectable, constant};

pub(super) fn emit(context: &Context<'_>) -> Result<TokenStream, Errors> {
    let rt = context.rt;
    let object = &context.names.object;
    let doc_module = inner_doc(&format!(
        "The fields that the API server can select [`{object}`](super::super::{object}) objects by."
    ));
    let fields = &context.planned.selectable;
    let names: Vec<_> = fields
        .iter()
        .map(|field| ident(&constant(&field.path)))
        .collect();
    let mut constants = Vec::new();
    for (name, field) in names.iter().zip(fields) {
        let doc = doc(&describe(field));
        let value = value(context, field)?;
        constants.push(quote! {
            #doc
            pub const #name: #rt::Selectable<super::super::#object> = #value;
        });
    }
    let doc_all = doc("All of them.");
    Ok(quote! {
        pub mod selectable {
            #doc_module
            #(#constants)*
            #doc_all
            pub const ALL: &[#rt::Selectable<super::super::#object>] = &[#(#names),*];
        }
    })
}

fn describe(field: &Selectable) -> String {
    let path = &field.path;
    match &field.reads {
        Reads::Name | Reads::Namespace => format!("`{path}`"),
        Reads::Text(_) => format!("`{path}`; `\"\"` where it is absent."),
        Reads::Bool(_) => format!("`{path}`; `false` where it is absent."),
        Reads::I32(from) if from == path => format!("`{path}`; `0` where it is absent."),
        Reads::I32(from) => format!("`{path}`, which reads `{from}`; `0` where that is absent."),
        Reads::FirstOf(first, second) => {
            format!("`{path}`, which reads `{first}`, or `{second}` where that is empty.")
        }
    }
}

/// A path below a type, as the compiler checks it.
pub(super) fn at(
    context: &Context<'_>,
    root: &TokenStream,
    path: &str,
) -> Result<TokenStream, Errors> {
    let rt = context.rt;
    let path: TokenStream = path
        .parse()
        .map_err(|error: proc_macro2::LexError| emitted(error.into()))?;
    Ok(quote! { #rt::field!(#root, #path) })
}

fn value(context: &Context<'_>, field: &Selectable) -> Result<TokenStream, Errors> {
    let rt = context.rt;
    let object = &context.names.object;
    let root = quote! { super::super::#object };
    let path = &*field.path;
    let reads = match &field.reads {
        Reads::Name => return Ok(quote! { #rt::Selectable::__NAME }),
        Reads::Namespace => return Ok(quote! { #rt::Selectable::__NAMESPACE }),
        Reads::Text(from) => {
            let from = at(context, &root, from)?;
            quote! { Text(#from) }
        }
        Reads::Bool(from) => {
            let from = at(context, &root, from)?;
            quote! { Bool(#from) }
        }
        Reads::I32(from) => {
            let from = at(context, &root, from)?;
            quote! { I32(#from) }
        }
        Reads::FirstOf(first, second) => {
            let (first, second) = (at(context, &root, first)?, at(context, &root, second)?);
            quote! {
                FirstOf(#rt::__private::FirstOf { path: #path, first: #first, second: #second })
            }
        }
    };
    Ok(quote! { #rt::Selectable::__new(#path, #rt::__private::Reads::#reads) })
}
