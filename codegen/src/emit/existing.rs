//! Caches of a type that the user has: nothing is known of it but its name, and that it has a field `metadata`.
//!
//! ```text
//! mod __gadget { use super::Gadget; … }     // what a file has in the module of group and version
//! use __gadget::{GadgetInformer, …, gadget};
//! ```
//!
//! The module between keeps what is inside of the types from the code that they stand beside.

use std::iter;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::custom::Properties;
use super::docs::doc;
use super::names::Names;
use super::{Context, Paths, Surroundings, emit_kind, handler};
use crate::error::Errors;
use crate::plan::{ObjectType, Planned};

/// The names of one kind, to stand beside its type.
pub(crate) fn emit(
    planned: &Planned,
    runtime: TokenStream,
    vis: &syn::Visibility,
) -> Result<TokenStream, Errors> {
    let names = Names::new(planned);
    let paths = Paths::of_runtime(runtime);
    let (object, module) = (&names.object, &names.module);
    let surroundings = Surroundings {
        vis: deeper(vis, 1),
        inner_vis: deeper(vis, 2),
        ready_made: quote! { #module::ReadyMadeHandler },
    };
    let between = format_ident!("__{module}");
    let object = object.clone();
    let emitted: Vec<Ident> = names.beside_object().cloned().collect();
    let (rt, properties) = (&paths.runtime, &Properties::default());
    let code = emit_kind(&Context {
        planned,
        names,
        rt,
        paths: &paths,
        properties,
        surroundings: &surroundings,
    })?;
    // That there is no such type is said where it was named.
    let span = Span::call_site().located_at(object.span());
    let object = quote_spanned! { span => super::#object };
    let import = import(planned).map(|path| {
        quote! {
            #[doc(inline)]
            #[allow(unused_imports)]
            #vis use #path;
        }
    });
    Ok(quote! {
        #import

        // A program uses a part of what is here.
        #[allow(dead_code, unreachable_pub)]
        mod #between {
            use #object;

            #code
        }

        #[doc(inline)]
        #[allow(unused_imports)]
        #vis use #between::{#(#emitted),*};
    })
}

/// Where the object is to be imported from.
fn import(planned: &Planned) -> Option<&TokenStream> {
    match &planned.object {
        ObjectType::Existing(existing) => existing.import.as_ref(),
        ObjectType::BuiltIn(_) | ObjectType::Custom(_) => None,
    }
}

/// The same visibility, said some modules deeper.
fn deeper(vis: &syn::Visibility, modules: usize) -> TokenStream {
    let supers = || iter::repeat_n(quote! { super }, modules);
    let restricted = match vis {
        syn::Visibility::Restricted(restricted) => restricted,
        syn::Visibility::Inherited => {
            let supers = supers();
            return quote! { pub(in #(#supers)::*) };
        }
        syn::Visibility::Public(_) => return quote! { #vis },
    };
    let segments = restricted
        .path
        .segments
        .iter()
        .map(|segment| &segment.ident);
    let first = segments.clone().next();
    let below = segments.skip_while(|segment| *segment == "self");
    match first {
        Some(first) if first == "self" || first == "super" => {
            let path = supers().chain(below.map(|segment| quote! { #segment }));
            quote! { pub(in #(#path)::*) }
        }
        _ => quote! { #vis },
    }
}

/// What belongs into the kind's own module: where the metadata is, and the trait of which a generated file has one for all.
pub(super) fn emit_inside(context: &Context<'_>) -> TokenStream {
    let object = &context.names.object;
    let ready_made = handler::emit_ready_made(context.rt);
    let k8s = &context.paths.k8s_openapi_tokens;
    let meta = quote! { #k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta };
    // That there is no such field is said where the type was named.
    let span = Span::call_site().located_at(object.span());
    let field = Ident::new("metadata", span);
    let (shared, exclusive) = (
        quote_spanned! { span => &object.#field },
        quote_spanned! { span => &mut object.#field },
    );
    let doc_shared = doc("The metadata of an object.");
    let doc_exclusive = doc("The metadata of an object, to be changed.");
    quote! {
        #doc_shared
        #[inline]
        fn metadata(object: &super::#object) -> &#meta {
            #shared
        }

        #doc_exclusive
        #[inline]
        fn metadata_mut(object: &mut super::#object) -> &mut #meta {
            #exclusive
        }

        #ready_made
    }
}

/// The functions that give a kind's metadata, shared and exclusive, as its own module names them.
pub(super) fn metadata(context: &Context<'_>) -> (TokenStream, TokenStream) {
    let k8s = &context.paths.k8s_openapi_tokens;
    match &context.planned.object {
        ObjectType::Existing(_) => (quote! { metadata }, quote! { metadata_mut }),
        ObjectType::BuiltIn(_) | ObjectType::Custom(_) => (
            quote! { #k8s::Metadata::metadata },
            quote! { #k8s::Metadata::metadata_mut },
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visibility_means_the_same_further_in() {
        for (vis, inside) in [
            ("", "pub (in super)"),
            ("pub", "pub"),
            ("pub(crate)", "pub (crate)"),
            ("pub(self)", "pub (in super)"),
            ("pub(super)", "pub (in super :: super)"),
            ("pub(in super::super)", "pub (in super :: super :: super)"),
            ("pub(in crate::api)", "pub (in crate :: api)"),
        ] {
            let parsed: syn::Visibility = syn::parse_str(vis).unwrap();
            assert_eq!(deeper(&parsed, 1).to_string(), inside, "{vis}");
        }
        let own = deeper(&syn::Visibility::Inherited, 2);
        assert_eq!(own.to_string(), "pub (in super :: super)");
    }
}
