//! What the definition says of the kind, as constants.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::doc;
use super::Emitter;
use crate::model::{CustomKind, PrinterColumn, Scale};

impl Emitter<'_> {
    pub(super) fn facts(&self, kind: &CustomKind) -> TokenStream {
        let rt = self.rt;
        let has_status = kind.has_status;
        let doc_status = doc("Whether `status` is written by a subresource of its own.");
        let status = quote! {
            #doc_status
            pub const HAS_STATUS: bool = #has_status;
        };
        // A document says no more.
        if kind.document.is_some() {
            return status;
        }
        let (singular, short, categories) = (&kind.singular, &kind.short_names, &kind.categories);
        let scale = match &kind.scale {
            Some(scale) => {
                let scale = self.scale(scale);
                quote! { ::core::option::Option::Some(#scale) }
            }
            None => quote! { ::core::option::Option::None },
        };
        let columns = kind
            .printer_columns
            .iter()
            .map(|column| self.column(column));
        let [
            doc_singular,
            doc_short,
            doc_categories,
            doc_scale,
            doc_columns,
        ] = [
            "The kind in the singular, as users write it.",
            "Short names that `kubectl` knows it by.",
            "Groups of kinds that it belongs to, as `kubectl get all`.",
            "Where the scale subresource finds its numbers; `None` where there is none.",
            "The columns that `kubectl get` prints.",
        ]
        .map(doc);
        quote! {
            #doc_singular
            pub const SINGULAR: &str = #singular;

            #doc_short
            pub const SHORT_NAMES: &[&str] = &[#(#short),*];

            #doc_categories
            pub const CATEGORIES: &[&str] = &[#(#categories),*];

            #status

            #doc_scale
            pub const SCALE: ::core::option::Option<#rt::custom::Scale> = #scale;

            #doc_columns
            pub const PRINTER_COLUMNS: &[#rt::custom::PrinterColumn] = &[#(#columns),*];
        }
    }

    fn scale(&self, scale: &Scale) -> TokenStream {
        let rt = self.rt;
        let Scale {
            spec_replicas,
            status_replicas,
            label_selector,
        } = scale;
        let selector = match label_selector {
            Some(path) => quote! { ::core::option::Option::Some(#path) },
            None => quote! { ::core::option::Option::None },
        };
        quote! { #rt::custom::Scale::from_static(#spec_replicas, #status_replicas, #selector) }
    }

    fn column(&self, column: &PrinterColumn) -> TokenStream {
        let rt = self.rt;
        let PrinterColumn {
            name,
            of_type,
            format,
            description,
            priority,
            json_path,
        } = column;
        let description = description.text();
        quote! {
            #rt::custom::PrinterColumn::from_static(
                #name, #of_type, #format, #description, #priority, #json_path,
            )
        }
    }
}
