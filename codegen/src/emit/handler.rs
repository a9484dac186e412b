//! The kind's handler trait, and the runtime's ready-made handlers as implementors.

use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use super::docs::{about, doc};

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let (object, module, handler) = (&names.object, &names.module, &names.handler);
    let bound = quote! { #rt::Kept<Object = #object> };
    let doc_trait = doc(&about(
        context,
        "Hears of every change of the objects of one kind",
        &format!(
            "All methods default to nothing; see [`Handler`]({}::Handler) for what they may rely on. For closures there is\n\
             [`Funcs`]({0}::Funcs), for keys alone [`Keys`]({0}::Keys).",
            context.paths.runtime_text
        ),
    ));
    let doc_add = doc(
        "The object was not there and is now; `initial` while the handler is told of what was there before it.",
    );
    let doc_update = doc("The object changed, or is told again by a resync.");
    let doc_delete = doc("The object was there and is not now.");
    let forwards = [
        (quote! { R: #bound }, quote! { #rt::Funcs<R> }),
        (
            quote! { R: #bound, F: ::core::ops::Fn(&#rt::ObjectKey) + ::core::marker::Send + ::core::marker::Sync + 'static },
            quote! { #rt::Keys<F> },
        ),
        (
            quote! { R: #bound, H: #rt::Handler<R> },
            quote! { #rt::Filtered<R, H> },
        ),
    ]
    .map(|(generics, of)| {
        forward(
            context,
            &generics,
            &of,
            &quote! { <Self as #rt::Handler<R>> },
            &quote! { self },
        )
    });
    let shared = forward(
        context,
        &quote! { R: #bound, H: #handler<R> + ?::core::marker::Sized },
        &quote! { ::std::sync::Arc<H> },
        &quote! { <H as #handler<R>> },
        &quote! { &**self },
    );
    let boxed = forward(
        context,
        &quote! { R: #bound, H: #handler<R> + ?::core::marker::Sized },
        &quote! { ::std::boxed::Box<H> },
        &quote! { <H as #handler<R>> },
        &quote! { &**self },
    );
    quote! {
        #doc_trait
        pub trait #handler<R: #bound = #module::Full>: ::core::marker::Send + ::core::marker::Sync + 'static {
            #doc_add
            #[inline]
            fn on_add(&self, #module: &#rt::Seen<R>, initial: bool) {
                let _ = (#module, initial);
            }

            #doc_update
            #[inline]
            fn on_update(&self, old: &#rt::Seen<R>, new: &#rt::Seen<R>) {
                let _ = (old, new);
            }

            #doc_delete
            #[inline]
            fn on_delete(&self, #module: &#rt::Tombstone<R>) {
                let _ = #module;
            }
        }

        #(#forwards)*
        #shared
        #boxed
    }
}

/// The handler trait for a type, by the methods of another trait on `receiver`.
fn forward(
    context: &Context<'_>,
    generics: &TokenStream,
    of: &TokenStream,
    through: &TokenStream,
    receiver: &TokenStream,
) -> TokenStream {
    let rt = context.rt;
    let (module, handler) = (&context.names.module, &context.names.handler);
    quote! {
        impl<#generics> #handler<R> for #of {
            #[inline]
            fn on_add(&self, #module: &#rt::Seen<R>, initial: bool) {
                #through::on_add(#receiver, #module, initial);
            }

            #[inline]
            fn on_update(&self, old: &#rt::Seen<R>, new: &#rt::Seen<R>) {
                #through::on_update(#receiver, old, new);
            }

            #[inline]
            fn on_delete(&self, #module: &#rt::Tombstone<R>) {
                #through::on_delete(#receiver, #module);
            }
        }
    }
}
