//! `pod::selectable`: the fields that the server can select by.

use proc_macro2::TokenStream;
use quote::quote;

use super::docs::{doc, inner_doc};
use super::{Context, ident};
use crate::selectable::constant;

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let object = &context.names.object;
    let doc_module = inner_doc(&format!(
        "The fields that the API server can select [`{object}`](super::super::{object}) objects by."
    ));
    let paths = &context.planned.selectable;
    let names: Vec<_> = paths.iter().map(|path| ident(&constant(path))).collect();
    let constants = names.iter().zip(paths).map(|(name, path)| {
        let doc = doc(&format!("`{path}`"));
        quote! {
            #doc
            pub const #name: #rt::Selectable<super::super::#object> = #rt::Selectable::__new(#path);
        }
    });
    let doc_all = doc("All of them.");
    quote! {
        pub mod selectable {
            #doc_module
            #(#constants)*
            #doc_all
            pub const ALL: &[#rt::Selectable<super::super::#object>] = &[#(#names),*];
        }
    }
}
