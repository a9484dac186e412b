//! Enums, open by construction.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::doc;
use super::super::ident;
use super::Emitter;
use crate::types::{Definition, variant_names};

impl Emitter<'_> {
    pub(super) fn choice(&self, definition: &Definition, values: &[String]) -> TokenStream {
        let rt = self.context.rt;
        let name = Self::name_of(definition);
        let (variants, other) = variant_names(values);
        let variants: Vec<_> = variants.iter().map(|variant| ident(variant)).collect();
        let other = ident(&other);
        let docs = values.iter().map(|value| {
            let shown = value.escape_debug().to_string().replace('`', "'");
            doc(&format!("`\"{shown}\"`"))
        });
        let doc_other =
            doc("A value that the definition does not have, as a later version of it may.");
        let doc_enum = self.docs(definition);
        quote! {
            #doc_enum
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
}
