//! `PodStore` and `PodIndexer`.

use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use super::docs::{Fails, about, doc, fails};
use super::informer::{deref, newtype};

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let store = emit_store(context);
    let indexer = emit_indexer(context);
    quote! { #store #indexer }
}

fn emit_store(context: &Context<'_>) -> TokenStream {
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

fn emit_indexer(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let indexer = &names.indexer;
    let docs = about(
        context,
        "The indexes over the {} objects of one informer.",
        "",
    );
    let newtype = newtype(context, indexer, &quote! { #rt::Indexer }, &docs);
    let doc_add = fails(
        context,
        "Adds an index and gives its typed handle.",
        Fails::Stopped,
    );
    let by_namespace = names
        .namespace_lister
        .as_ref()
        .map(|_| by_namespace(context));
    quote! {
        #newtype

        impl<R: #rt::Kept> #indexer<R> {
            #doc_add
            #[inline]
            pub fn add<X: #rt::Extract<R>>(
                &self,
                index: X,
            ) -> ::core::result::Result<#rt::Index<R, X::Key>, #rt::Stopped> {
                self.0.add(index)
            }

            #by_namespace
        }
    }
}

fn by_namespace(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let doc_by = fails(
        context,
        "The objects of one namespace.",
        Fails::ReadNamespace,
    );
    let doc_namespaces = fails(
        context,
        "The namespaces that have objects, with how many, in order of their names.",
        Fails::Read,
    );
    quote! {
        #doc_by
        #[inline]
        pub fn by_namespace(
            &self,
            namespace: &str,
        ) -> ::core::result::Result<#rt::List<R>, #rt::ReadError> {
            self.0.by_namespace(namespace)
        }

        #doc_namespaces
        #[inline]
        pub fn namespaces(
            &self,
        ) -> ::core::result::Result<
            ::std::vec::Vec<(::std::sync::Arc<str>, usize)>,
            #rt::ReadError,
        > {
            self.0.namespaces()
        }
    }
}
