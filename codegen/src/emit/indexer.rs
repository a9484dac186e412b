//! `PodIndexer`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::docs::{self, Fails, about, fails};
use super::informer::newtype;
use super::selectable::at;
use super::{Context, ident};
use crate::selectable::{Named, Reads, named};

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let names = &context.names;
    let indexer = &names.indexer;
    let docs = about(
        context,
        "The indexes over the {} objects of one informer.",
        docs::INDEXER,
    );
    let newtype = newtype(context, indexer, &quote! { #rt::Indexer }, &docs);
    let doc_add = fails(
        context,
        "Adds an index and gives its typed handle.",
        Fails::Stopped,
    );
    let doc_add_ordered = fails(
        context,
        "Adds an index that knows the order of its keys, for ranges and prefixes, and gives its typed handle.",
        Fails::Stopped,
    );
    let by_namespace = names
        .namespace_lister
        .as_ref()
        .map(|_| by_namespace(context));
    let by_metadata = by_metadata(context);
    let by_fields = by_fields(context);
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

            #doc_add_ordered
            #[inline]
            pub fn add_ordered<X: #rt::Extract<R>>(
                &self,
                index: X,
            ) -> ::core::result::Result<#rt::OrderedIndex<R, X::Key>, #rt::Stopped> {
                self.0.add_ordered(index)
            }

            #by_namespace
            #by_metadata
        }

        #by_fields
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

/// By labels and owner, and by name where a name alone is no key.
fn by_metadata(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let read = quote! { ::core::result::Result<#rt::List<R>, #rt::ReadError> };
    let doc_labels = fails(context, docs::BY_LABELS, Fails::Read);
    let doc_owner = fails(context, docs::BY_OWNER, Fails::Read);
    let by_name = context.names.namespace_lister.as_ref().map(|_| {
        let doc_name = fails(context, docs::BY_NAME, Fails::Read);
        quote! {
            #doc_name
            #[inline]
            pub fn by_metadata_name(&self, name: &str) -> #read
            where
                R: #rt::KeptMetadata,
            {
                self.0.by_metadata_name(name)
            }
        }
    });
    quote! {
        #doc_labels
        #[inline]
        pub fn by_labels(&self, selector: &#rt::LabelSelector) -> #read
        where
            R: #rt::KeptLabels,
        {
            self.0.by_labels(selector)
        }

        #doc_owner
        #[inline]
        pub fn by_owner(&self, uid: &str) -> #read
        where
            R: #rt::KeptMetadata,
        {
            self.0.by_owner(uid)
        }

        #by_name
    }
}

/// By the fields of its own that the server can select the kind by; nothing for most kinds.
fn by_fields(context: &Context<'_>) -> Option<TokenStream> {
    let rt = context.rt;
    let (object, indexer) = (&context.names.object, &context.names.indexer);
    let methods = named(&context.planned.selectable).filter_map(|named| by_field(context, &named));
    let methods: Vec<TokenStream> = methods.collect();
    (!methods.is_empty()).then(|| {
        quote! {
            impl<R: #rt::Kept> #indexer<R>
            where
                R::Stored: ::core::ops::Deref<Target = #object>,
            {
                #(#methods)*
            }
        }
    })
}

fn by_field(context: &Context<'_>, named: &Named<'_>) -> Option<TokenStream> {
    let rt = context.rt;
    let root = context.names.object.to_token_stream();
    let field = named.field;
    if let Reads::Anything(_) = &field.reads {
        return Some(by_anything(context, named));
    }
    let (from, extract) = match &field.reads {
        // Every indexer has a method for the name, where that is no key, and one for the namespace.
        Reads::Name | Reads::Namespace => return None,
        // Keys that only an index of the user's has.
        Reads::Shown(_) | Reads::Anything(_) => return None,
        Reads::Text(path)
        | Reads::Bool(path)
        | Reads::I32(path)
        | Reads::I64(path)
        | Reads::Choice(path) => (path, at(context, &root, path)),
        Reads::FirstOf(first, second) => {
            let (first, second) = (at(context, &root, first), at(context, &root, second));
            let path = &*field.path;
            let extract = quote! {
                #rt::__private::FirstOf { path: #path, first: #first, second: #second }
            };
            (&field.path, extract)
        }
    };
    let (argument, key) = match &field.reads {
        Reads::Bool(_) => (quote! { bool }, quote! { &value }),
        Reads::I32(_) => (quote! { i32 }, quote! { &value }),
        Reads::I64(_) => (quote! { i64 }, quote! { &value }),
        _ => (quote! { &str }, quote! { value }),
    };
    let name = ident(&named.method);
    let doc = fails(context, &docs::by_field(context, field, from), Fails::Read);
    Some(quote! {
        #doc
        #[inline]
        pub fn #name(
            &self,
            value: #argument,
        ) -> ::core::result::Result<#rt::List<R>, #rt::ReadError> {
            self.0.__by(#extract, #key)
        }
    })
}

/// By a field whose type is not known here. Its value is given as a selector takes it.
fn by_anything(context: &Context<'_>, named: &Named<'_>) -> TokenStream {
    let rt = context.rt;
    let module = &context.names.module;
    let (name, constant) = (ident(&named.method), ident(&named.constant));
    let path = &named.field.path;
    let doc = fails(
        context,
        &docs::by_field(context, named.field, path),
        Fails::Read,
    );
    quote! {
        #doc
        #[inline]
        pub fn #name(
            &self,
            value: impl ::core::fmt::Display,
        ) -> ::core::result::Result<#rt::List<R>, #rt::ReadError> {
            let value = ::std::string::ToString::to_string(&value);
            self.0.__by_selectable(#module::selectable::#constant, &value)
        }
    }
}
