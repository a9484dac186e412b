//! `PodLister` and, for namespaced kinds alone, `PodNamespaceLister`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Context;
use super::docs::{self, Fails, about, doc, fails};
use super::informer::newtype;

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let lister = &names.lister;
    let doc_lister = about(
        context,
        "Reads the {} objects of one informer.",
        "Each read answers from one consistent state, without a lock, and is an error before sync.",
    );
    let newtype = newtype(context, lister, &quote! { #rt::Lister }, &doc_lister);
    let snapshot = snapshot(context);
    let list = list(context, "All objects.", Fails::Read);
    let matching = matching(
        context,
        "The objects that a label selector selects.",
        Fails::Read,
    );
    let in_scope = match &names.namespace_lister {
        Some(_) => Fails::ReadNamespace,
        None => Fails::Read,
    };
    let list_with = list_with(
        context,
        "The objects that the options ask for: by label, by name and namespace, so many at most.",
        in_scope,
    );
    let by_query = by_query(context, docs::SELECT, in_scope);
    let wait_for = wait_for(context);
    let by_name = quote! { name: &str };
    let (get, namespace, namespace_lister) = match &names.namespace_lister {
        None => (
            get(
                context,
                &by_name,
                &quote! { self.0.get_by_name(name) },
                Fails::Get,
            ),
            None,
            None,
        ),
        Some(namespace_lister) => (
            get(
                context,
                &quote! { key: &#rt::ObjectKey },
                &quote! { self.0.get(key) },
                Fails::GetInNamespace,
            ),
            Some(namespace(namespace_lister)),
            Some(emit_namespace_lister(context, namespace_lister)),
        ),
    };
    quote! {
        #newtype

        impl<R: #rt::Kept> #lister<R> {
            #snapshot
            #list
            #get
            #namespace
            #matching
            #list_with
            #by_query
            #wait_for
        }

        #namespace_lister
    }
}

fn emit_namespace_lister(context: &Context<'_>, name: &Ident) -> TokenStream {
    let rt = context.rt;
    let doc_lister = about(
        context,
        "Reads the {} objects of one informer in one namespace.",
        "",
    );
    let newtype = newtype(context, name, &quote! { #rt::NamespaceLister }, &doc_lister);
    let doc_namespace = doc("The namespace.");
    let list = list(
        context,
        "All objects of the namespace.",
        Fails::ReadNamespace,
    );
    let get = get(
        context,
        &quote! { name: &str },
        &quote! { self.0.get(name) },
        Fails::GetInNamespace,
    );
    let matching = matching(
        context,
        "The objects of the namespace that a label selector selects.",
        Fails::ReadNamespace,
    );
    let list_with = list_with(
        context,
        "The objects of the namespace that the options ask for.",
        Fails::ReadNamespace,
    );
    let by_query = by_query(context, docs::SELECT_IN_NAMESPACE, Fails::ReadNamespace);
    quote! {
        #newtype

        impl<R: #rt::Kept> #name<R> {
            #doc_namespace
            #[inline]
            #[must_use]
            pub fn namespace(&self) -> &str {
                self.0.namespace()
            }

            #list
            #get
            #matching
            #list_with
            #by_query
        }
    }
}

fn snapshot(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let text = "All objects at this moment, for reads that must agree with each other.";
    let doc = fails(context, text, Fails::Read);
    quote! {
        #doc
        #[inline]
        pub fn snapshot(&self) -> ::core::result::Result<#rt::Snapshot<R>, #rt::ReadError> {
            self.0.snapshot()
        }
    }
}

fn list(context: &Context<'_>, text: &str, errors: Fails) -> TokenStream {
    let rt = context.rt;
    let doc = fails(context, text, errors);
    quote! {
        #doc
        #[inline]
        pub fn list(&self) -> ::core::result::Result<#rt::List<R>, #rt::ReadError> {
            self.0.list()
        }
    }
}

fn get(
    context: &Context<'_>,
    parameter: &TokenStream,
    body: &TokenStream,
    errors: Fails,
) -> TokenStream {
    let rt = context.rt;
    let doc = fails(context, "One object.", errors);
    quote! {
        #doc
        #[inline]
        pub fn get(&self, #parameter) -> ::core::result::Result<R::Read, #rt::ReadError> {
            #body
        }
    }
}

fn namespace(lister: &Ident) -> TokenStream {
    let doc = doc("Reads of one namespace.");
    quote! {
        #doc
        #[inline]
        #[must_use]
        pub fn namespace(
            &self,
            namespace: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> #lister<R> {
            #lister(self.0.namespace(namespace))
        }
    }
}

fn matching(context: &Context<'_>, text: &str, errors: Fails) -> TokenStream {
    let rt = context.rt;
    let doc = fails(context, text, errors);
    quote! {
        #doc
        #[inline]
        pub fn matching(
            &self,
            selector: &#rt::LabelSelector,
        ) -> ::core::result::Result<#rt::List<R>, #rt::ReadError>
        where
            R: #rt::KeptLabels,
        {
            self.0.matching(selector)
        }
    }
}

fn list_with(context: &Context<'_>, text: &str, errors: Fails) -> TokenStream {
    let rt = context.rt;
    let doc = fails(context, text, errors);
    quote! {
        #doc
        #[inline]
        pub fn list_with(
            &self,
            options: &#rt::ListOptions,
        ) -> ::core::result::Result<#rt::List<R>, #rt::ReadError>
        where
            R: #rt::KeptLabels,
        {
            self.0.list_with(options)
        }
    }
}

/// What concerns queries: to read by them, to see how, and to make them of texts.
fn by_query(context: &Context<'_>, select: &str, errors: Fails) -> TokenStream {
    let rt = context.rt;
    let doc_select = fails(context, select, errors);
    let doc_explain = fails(context, docs::EXPLAIN, errors);
    let doc_fields = fails(context, docs::FIELDS, Fails::Query);
    let doc_query = fails(context, docs::QUERY, Fails::Query);
    let over = quote! {
        where
            R: #rt::KeptLabels,
            R::Stored: ::core::ops::Deref<Target = T>,
    };
    let made = quote! {
        ::core::result::Result<
            #rt::Query<<R::Stored as ::core::ops::Deref>::Target>,
            #rt::InvalidQuery,
        >
        where
            R: #rt::KeptFields,
    };
    quote! {
        #doc_select
        #[inline]
        pub fn select<T: 'static>(
            &self,
            query: impl ::core::convert::Into<#rt::Query<T>>,
        ) -> ::core::result::Result<#rt::List<R>, #rt::ReadError>
        #over
        {
            self.0.select(query)
        }

        #doc_explain
        #[inline]
        pub fn explain<T: 'static>(
            &self,
            query: impl ::core::convert::Into<#rt::Query<T>>,
        ) -> ::core::result::Result<#rt::Plan, #rt::ReadError>
        #over
        {
            self.0.explain(query)
        }

        #doc_fields
        #[inline]
        pub fn fields(&self, text: &str) -> #made
        {
            self.0.fields(text)
        }

        #doc_query
        #[inline]
        pub fn query(&self, labels: &str, fields: &str) -> #made
        {
            self.0.query(labels, fields)
        }
    }
}

fn wait_for(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let doc = fails(
        context,
        "Waits until reads show a write, or what came after it.",
        Fails::Wait,
    );
    quote! {
        #doc
        #[inline]
        pub async fn wait_for(
            &self,
            written: &#rt::Written,
            deadline: ::core::time::Duration,
        ) -> ::core::result::Result<(), #rt::WaitError> {
            self.0.wait_for(written, deadline).await
        }
    }
}
