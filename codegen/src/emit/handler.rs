//! The kind's handler trait, and the runtime's ready-made handlers as implementers.

use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use super::docs::{self, about, doc};

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let (module, handler) = (&names.module, &names.handler);
    let vis = &context.surroundings.vis;
    let ready = &context.surroundings.ready_made;
    let doc_trait = doc(&about(
        context,
        "Hears of every change of the {} objects of one informer.",
        &format!(
            "All methods default to nothing; see {} for what they may rely on. For closures there is\n\
             {}, for keys alone {}.",
            context.paths.link("Handler"),
            context.paths.link("Funcs"),
            context.paths.link("Keys"),
        ),
    ));
    // rustc puts in the type for `{Self}`.
    let unhandled = format!("`{{Self}}` is no `{handler}`");
    let remedy = format!(
        "implement `{handler}` for it, or make a handler of closures, as `Funcs::<{module}::Full>::new()`, or of a \
         function of keys, as `Keys::new(|key| …)`"
    );
    let doc_add = doc(
        "The object was not there and is now; `initial` while the handler is told of what was there before it.",
    );
    let doc_update = doc("The object changed, or is told again by a resync.");
    let doc_delete = doc("The object was there and is not now.");
    let ready_made = forward(
        context,
        &quote! { H: #rt::Handler<R> + #ready },
        &quote! { H },
        &quote! { <H as #rt::Handler<R>> },
        &quote! { self },
    );
    let shared = forward(
        context,
        &quote! { H: #handler<R> + ?::core::marker::Sized },
        &quote! { ::std::sync::Arc<H> },
        &quote! { <H as #handler<R>> },
        &quote! { &**self },
    );
    quote! {
        #doc_trait
        #[diagnostic::on_unimplemented(message = #unhandled, note = #remedy)]
        #vis trait #handler<R: #rt::Kept = #module::Full>: ::core::marker::Send + ::core::marker::Sync + 'static {
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

        // Else rustc asks of whoever is no handler to be a handler of the runtime, and a ready-made one.
        #[diagnostic::do_not_recommend]
        #ready_made
        #shared
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
        impl<R: #rt::Kept, #generics> #handler<R> for #of {
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

/// One trait for the whole file, or for a kind that is alone.
///
/// The runtime's own handlers have to be handlers of each kind, by one impl for each kind: three take a third of the
/// time that all kinds take to compile. A blanket impl over the runtime's trait alone would exclude that for `Arc`; a
/// trait of this file, which nobody else can implement for `Arc`, does not.
pub(super) fn emit_ready_made(rt: &TokenStream) -> TokenStream {
    let doc = doc(docs::READY_MADE);
    quote! {
        #doc
        #[allow(unreachable_pub)]
        pub trait ReadyMadeHandler {}
        impl<R: #rt::Kept> ReadyMadeHandler for #rt::Funcs<R> {}
        impl<F> ReadyMadeHandler for #rt::Keys<F> {}
        impl<R: #rt::Kept, H> ReadyMadeHandler for #rt::Filtered<R, H> {}
    }
}
