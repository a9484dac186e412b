//! `PodStore`.

use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use super::docs::{about, doc};
use super::informer::{deref, newtype};

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let store = &names.store;
    let docs = about(
        context,
        "The {} objects of one informer by key, as they are now, synced or not.",
        &format!(
            "For reads that must not be partial there is the [`{}`], which is an error before sync.",
            names.lister
        ),
    );
    let newtype = newtype(context, store, &quote! { #rt::Store }, &docs);
    let deref = deref(context, store, &quote! { #rt::Store });
    // A cluster-scoped object has no need of a key.
    let get = names.namespace_lister.is_none().then(|| {
        let doc_get = doc("The object of this name.");
        quote! {
            impl<R: #rt::Kept> #store<R> {
                #doc_get
                #[inline]
                #[must_use]
                pub fn get(&self, name: &str) -> ::core::option::Option<R::Read> {
                    self.0.get(&#rt::ObjectKey::cluster(name))
                }
            }
        }
    });
    quote! { #newtype #deref #get }
}
