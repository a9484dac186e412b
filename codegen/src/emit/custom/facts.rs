//! What the definition says of the kind, as constants.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::doc;
use super::Emitter;
use crate::model::{PrinterColumn, Scale};

impl Emitter<'_> {
    pub(super) fn facts(&self) -> TokenStream {
        let rt = self.context.rt;
        let kind = &self.custom.kind;
        let (singular, short, categories) = (&kind.singular, &kind.short_names, &kind.categories);
        let has_status = kind.has_status;
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
            doc_status,
            doc_scale,
            doc_columns,
        ] = [
            "The kind in the singular, as users write it.",
            "Short names that `kubectl` knows it by.",
            "Groups of kinds that it belongs to, as `kubectl get all`.",
            "Whether `status` is written by a subresource of its own.",
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

            #doc_status
            pub const HAS_STATUS: bool = #has_status;

            #doc_scale
            pub const SCALE: ::core::option::Option<#rt::custom::Scale> = #scale;

            #doc_columns
            pub const PRINTER_COLUMNS: &[#rt::custom::PrinterColumn] = &[#(#columns),*];
        }
    }

    fn scale(&self, scale: &Scale) -> TokenStream {
        let rt = self.context.rt;
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
        let rt = self.context.rt;
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
