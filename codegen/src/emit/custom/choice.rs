//! Enums, open by construction.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::docs::doc;
use super::super::ident;
use crate::types::variant_names;

pub(super) fn emit(
    rt: &TokenStream,
    name: &Ident,
    docs_of: &TokenStream,
    values: &[String],
) -> TokenStream {
    let (variants, other) = variant_names(values);
    let variants: Vec<_> = variants.iter().map(|variant| ident(variant)).collect();
    let other = ident(&other);
    let docs = values.iter().map(|value| {
        let shown = value.escape_debug().to_string().replace('`', "'");
        doc(&format!("`\"{shown}\"`"))
    });
    let doc_other = doc("A value that the definition does not have, as a later version of it may.");
    quote! {
        #docs_of
        #[derive(
            ::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq,
            ::core::hash::Hash,
        )]
        pub enum #name {
            #(#docs #variants,)*
            #doc_other
            #other(::std::string::String),
        }

        #rt::__private::open_enum!(#name, #other, #(#variants = #values,)*);
    }
}
