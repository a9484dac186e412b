//! Caches of a type that the user has: nothing is known of it but its name, and that it has a field `metadata`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::custom::Properties;
use super::docs::doc;
use super::handler;
use super::names::Names;
use super::{Context, Paths, Surroundings, emit_kind, emitted};
use crate::error::Errors;
use crate::plan::{Existing, ObjectType, Planned};

/// The names of one kind, to stand beside its type.
pub(crate) fn emit(
    planned: &Planned,
    runtime: TokenStream,
    vis: &syn::Visibility,
) -> Result<TokenStream, Errors> {
    let names = Names::new(planned);
    let paths = Paths::of_runtime(runtime);
    let module = &names.module;
    let surroundings = Surroundings {
        vis: quote! { #vis },
        inner_vis: from_inside(vis),
        ready_made: quote! { #module::ReadyMadeHandler },
    };
    let (rt, properties) = (&paths.runtime, &Properties::default());
    let code = emit_kind(&Context {
        planned,
        names,
        rt,
        paths: &paths,
        properties,
        surroundings: &surroundings,
    })?;
    allowed(code)
}

/// In a file of its own, code that nobody uses is allowed by the module around it; here each item says it.
fn allowed(code: TokenStream) -> Result<TokenStream, Errors> {
    let file: syn::File = syn::parse2(code).map_err(emitted)?;
    let items = file.items;
    Ok(quote! { #(#[allow(dead_code, unreachable_pub, unused_imports)] #items)* })
}

/// The same visibility, said one module deeper.
fn from_inside(vis: &syn::Visibility) -> TokenStream {
    let syn::Visibility::Restricted(restricted) = vis else {
        return match vis {
            syn::Visibility::Inherited => quote! { pub(super) },
            _ => quote! { #vis },
        };
    };
    let path = &restricted.path;
    let first = path.segments.first().map(|segment| &segment.ident);
    match first {
        Some(first) if first == "self" => {
            let rest = path.segments.iter().skip(1);
            quote! { pub(in super #(::#rest)*) }
        }
        Some(first) if first == "super" => quote! { pub(in super::#path) },
        _ => quote! { #vis },
    }
}

/// What brings the object into scope.
pub(super) fn emit_object(existing: &Existing, vis: &TokenStream) -> TokenStream {
    let import = existing.import.as_ref();
    // Of what is there already, whoever wrote it said what it is.
    import.map_or_else(TokenStream::new, |path| {
        quote! { #[doc(inline)] #vis use #path; }
    })
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
    fn a_visibility_means_the_same_one_module_deeper() {
        for (vis, inside) in [
            ("", "pub (super)"),
            ("pub", "pub"),
            ("pub(crate)", "pub (crate)"),
            ("pub(self)", "pub (in super)"),
            ("pub(super)", "pub (in super :: super)"),
            ("pub(in super::super)", "pub (in super :: super :: super)"),
            ("pub(in crate::api)", "pub (in crate :: api)"),
        ] {
            let parsed: syn::Visibility = syn::parse_str(vis).unwrap();
            assert_eq!(from_inside(&parsed).to_string(), inside, "{vis}");
        }
    }
}
