//! `PodInformer` and `PodMetadataInformer`.

use proc_macro2::TokenStream;
use quote::quote;

use super::Context;
use super::docs::{self, Fails, about, doc, fails};

/// A newtype over a generic of the runtime, with `Clone` and `Debug`, which derives would bound by `R`.
///
/// That `R` keeps objects of this kind is required where informers are made, and nowhere else: everything comes from
/// an informer, and the bound on each item takes a third of the time that all kinds take to compile.
pub(super) fn newtype(
    context: &Context<'_>,
    name: &proc_macro2::Ident,
    inner: &TokenStream,
    docs: &str,
) -> TokenStream {
    let rt = context.rt;
    let module = &context.names.module;
    let vis = &context.surroundings.vis;
    let doc = doc(docs);
    quote! {
        #doc
        #vis struct #name<R: #rt::Kept = #module::Full>(#inner<R>);

        impl<R: #rt::Kept> ::core::clone::Clone for #name<R> {
            #[inline]
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl<R: #rt::Kept> ::core::fmt::Debug for #name<R> {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.0, f)
            }
        }
    }
}

/// All methods of the generic that are the same for every kind, without one of our own for each: they show with their
/// own documentation, a new one is there at once, and all kinds take a quarter less to compile.
///
/// Not for listers and indexers: those of a cluster-scoped kind must not have reads by namespace.
pub(super) fn deref(
    context: &Context<'_>,
    name: &proc_macro2::Ident,
    inner: &TokenStream,
) -> TokenStream {
    let rt = context.rt;
    quote! {
        impl<R: #rt::Kept> ::core::ops::Deref for #name<R> {
            type Target = #inner<R>;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }
    }
}

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let (object, module, informer) = (&names.object, &names.module, &names.informer);
    let metadata_informer = &names.metadata_informer;
    let vis = &context.surroundings.vis;
    let docs = about(
        context,
        "Keeps the {} objects of a cluster in memory, always current, and tells handlers of changes.",
        &format!(
            "Got from a {}, or made alone with [`new`](Self::new). A clone is another handle of the same\n\
             informer.",
            context.paths.link("Cache")
        ),
    );
    let newtype = newtype(context, informer, &quote! { #rt::Informer }, &docs);
    let doc_metadata = doc(&docs::metadata_informer(context));
    let deref = deref(context, informer, &quote! { #rt::Informer });
    let constructors = constructors(context);
    let views = views(context);
    let handlers = handlers(context);
    quote! {
        #newtype
        #deref
        #constructors

        impl<R: #rt::Kept> #informer<R> {
            #views
            #handlers
        }

        #doc_metadata
        #vis type #metadata_informer = #rt::MetadataInformer<#informer<#rt::Metadata>>;

        // For every `R`, so that what keeps objects of any kind can stand behind the kind's own names; a cache asks for more.
        impl<R: #rt::Kept> #rt::TypedInformer for #informer<R> {
            type Kept = R;
            type Object = #object;
            const KIND: #rt::Kind = #module::KIND;

            #[inline]
            fn wrap(informer: #rt::Informer<R>) -> Self {
                Self(informer)
            }

            #[inline]
            fn inner(&self) -> &#rt::Informer<R> {
                &self.0
            }
        }
    }
}

/// `new` and `KIND` stand where the default parameter is meant, since expressions do not infer defaults.
fn constructors(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let (object, module, informer) = (&names.object, &names.module, &names.informer);
    let doc_kind = doc("Group, version, kind, plural and scope.");
    let doc_new = fails(
        context,
        "An informer of its own, not a cache's: it runs at once, on the current tokio runtime, and stops when the last of\n\
         its handles, listers, stores and indexes goes. Handlers and event streams do not keep it.",
        Fails::Make,
    );
    let doc_spawn = fails(
        context,
        "As [`new`](Self::new), keeping objects as the options' type says.",
        Fails::Make,
    );
    quote! {
        impl #informer {
            #doc_kind
            pub const KIND: #rt::Kind = #module::KIND;

            #doc_new
            #[inline]
            pub fn new(
                transport: impl #rt::Transport,
                options: #rt::InformerOptions<#module::Full>,
            ) -> ::core::result::Result<Self, #rt::InformerError> {
                Self::spawn(transport, options)
            }
        }

        impl<R: #rt::Kept<Object = #object>> #informer<R> {
            #doc_spawn
            #[inline]
            pub fn spawn(
                transport: impl #rt::Transport,
                options: #rt::InformerOptions<R>,
            ) -> ::core::result::Result<Self, #rt::InformerError> {
                #rt::Informer::spawn(transport, #module::KIND, options).map(Self)
            }
        }
    }
}

fn views(context: &Context<'_>) -> TokenStream {
    let names = &context.names;
    let (store, lister, indexer) = (&names.store, &names.lister, &names.indexer);
    let doc_store = doc("The objects by key, as they are now, synced or not.");
    let doc_lister = doc("Reads, which are an error before sync.");
    let doc_indexer = doc("The indexes.");
    quote! {
        #doc_store
        #[inline]
        #[must_use]
        pub fn store(&self) -> #store<R> {
            #store(self.0.store())
        }

        #doc_lister
        #[inline]
        #[must_use]
        pub fn lister(&self) -> #lister<R> {
            #lister(self.0.lister())
        }

        #doc_indexer
        #[inline]
        #[must_use]
        pub fn indexer(&self) -> #indexer<R> {
            #indexer(self.0.indexer())
        }
    }
}

fn handlers(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let (module, handler) = (&context.names.module, &context.names.handler);
    let doc_add = fails(
        context,
        "Adds a handler: it is told of every object that is there, then of every change.",
        Fails::Stopped,
    );
    let doc_add_with = fails(
        context,
        "Adds a handler with a name, a queue or a resync period of its own.",
        Fails::Stopped,
    );
    quote! {
        #doc_add
        #[inline]
        pub fn add_handler(
            &self,
            handler: impl #handler<R>,
        ) -> ::core::result::Result<#rt::Registration, #rt::Stopped> {
            self.add_handler_with(handler, ::core::default::Default::default())
        }

        #doc_add_with
        #[inline]
        pub fn add_handler_with(
            &self,
            handler: impl #handler<R>,
            options: #rt::HandlerOptions,
        ) -> ::core::result::Result<#rt::Registration, #rt::Stopped> {
            self.0.add_handler_with(#module::Handles(handler), options)
        }
    }
}
