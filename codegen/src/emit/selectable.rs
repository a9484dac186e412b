//! `pod::selectable`: the fields that the server can select by.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::docs::{doc, inner_doc};
use super::{Context, ident};
use crate::model::Origin;
use crate::plan::{Existing, ObjectType};
use crate::selectable::{Reads, Selectable, named};

pub(super) fn emit(context: &Context<'_>) -> TokenStream {
    let rt = context.rt;
    let object = &context.names.object;
    let doc_module = inner_doc(&format!(
        "The fields that the API server can select [`{object}`](super::super::{object}) objects by."
    ));
    let (mut names, mut constants) = (Vec::new(), Vec::new());
    for named in named(&context.planned.selectable) {
        let name = ident(&named.constant);
        let doc = doc(&describe(context, named.field));
        let value = value(context, named.field);
        constants.push(quote! {
            #doc
            pub const #name: #rt::Selectable<super::super::#object> = #value;
        });
        names.push(name);
    }
    let doc_all = doc("All of them.");
    quote! {
        pub mod selectable {
            #doc_module
            #(#constants)*
            #doc_all
            pub const ALL: &[#rt::Selectable<super::super::#object>] = &[#(#names),*];
        }
    }
}

fn describe(context: &Context<'_>, field: &Selectable) -> String {
    let path = &field.path;
    let absent = field.reads.absent(context.planned.kind.origin);
    match &field.reads {
        Reads::Name | Reads::Namespace => format!("`{path}`"),
        Reads::FirstOf(first, second) => {
            format!("`{path}`, which reads `{first}`, or `{second}` where that is empty.")
        }
        Reads::I32(from) if from != path => {
            format!("`{path}`, which reads `{from}`; `{absent}` where that is absent.")
        }
        _ => format!("`{path}`; `{absent}` where it is absent."),
    }
}

/// A path below a type, as the compiler checks it.
pub(super) fn at(context: &Context<'_>, root: &TokenStream, path: &str) -> TokenStream {
    let rt = context.rt;
    let mut names = match &context.planned.object {
        ObjectType::Custom(custom) => custom.types.other_names(path),
        ObjectType::BuiltIn(_) | ObjectType::Existing(_) => Vec::new(),
    }
    .into_iter();
    let segments = path.split('.');
    let segments = segments.map(|json| segment(json, names.next().flatten(), Span::call_site()));
    quote! { #rt::field!(#root, #(#segments).*) }
}

/// A segment as `field!` takes it: `nodeName`, or `count as total` where the field is called otherwise.
fn segment(json: &str, field: Option<&str>, span: Span) -> TokenStream {
    let field = field.map(|field| {
        let field = spanned_ident(field, span);
        quote! { as #field }
    });
    let mut letters = json.chars();
    let begins = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    if begins && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        let json = spanned_ident(json, span);
        quote! { #json #field }
    } else {
        let mut json = Literal::string(json);
        json.set_span(span);
        quote! { #json #field }
    }
}

fn spanned_ident(name: &str, span: Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(name) => Ident::new_raw(name, span),
        None => Ident::new(name, span),
    }
}

fn existing<'a>(context: &'a Context<'_>) -> Option<&'a Existing> {
    match &context.planned.object {
        ObjectType::Existing(existing) => Some(existing),
        ObjectType::BuiltIn(_) | ObjectType::Custom(_) => None,
    }
}

/// A field of a type that is not known here: the compiler finds out what it is, where the constant is used.
fn anything(context: &Context<'_>, path: &str, from: &str) -> TokenStream {
    let rt = context.rt;
    let object = &context.names.object;
    let spans = existing(context).map_or(&[][..], |existing| &existing.spans);
    let span = spans.iter().find(|(of, _)| of == path);
    let span = span.map_or_else(Span::call_site, |(_, span)| *span);
    let from = from.split('.').map(|part| match part.split_once(" as ") {
        Some((json, field)) => segment(json, Some(field), span),
        None => segment(part, None, span),
    });
    let from = quote! { #(#from).* };
    let leaf = quote! { #rt::__private::leaf!(#rt; super::super::#object, #from) };
    quote! {
        #rt::Selectable::__of(#path, || {
            #[allow(unused_imports)]
            use #rt::__private::{OfAnyType as _, OfKnownType as _};
            #rt::__private::Leaf(#leaf).__reads(|object| #rt::__private::shown(#leaf, object))
        })
    }
}

fn value(context: &Context<'_>, field: &Selectable) -> TokenStream {
    let rt = context.rt;
    let object = &context.names.object;
    let root = quote! { super::super::#object };
    let path = &*field.path;
    let plain = |reads: &str, from: &str| {
        let (reads, from) = (ident(reads), at(context, &root, from));
        quote! { #reads(#from) }
    };
    let reads = match &field.reads {
        Reads::Name | Reads::Namespace if existing(context).is_some() => {
            let which = match field.reads {
                Reads::Name => ident("__name_of"),
                _ => ident("__namespace_of"),
            };
            return quote! { #rt::Selectable::#which(super::metadata) };
        }
        Reads::Name => return quote! { #rt::Selectable::__NAME },
        Reads::Namespace => return quote! { #rt::Selectable::__NAMESPACE },
        Reads::Anything(from) => return anything(context, path, from),
        Reads::Text(from) => plain("Text", from),
        Reads::Bool(from) => plain("Bool", from),
        Reads::I32(from) => plain("I32", from),
        Reads::I64(from) => plain("I64", from),
        Reads::Choice(from) | Reads::Shown(from) => {
            let from = at(context, &root, from);
            quote! {
                Shown(|object| {
                    let mut text = ::core::option::Option::None;
                    #from.each(object, |value| {
                        text = ::core::option::Option::Some(::std::string::ToString::to_string(value));
                    });
                    text
                })
            }
        }
        Reads::FirstOf(first, second) => {
            let (first, second) = (at(context, &root, first), at(context, &root, second));
            quote! {
                FirstOf(#rt::__private::FirstOf { path: #path, first: #first, second: #second })
            }
        }
    };
    let new = match context.planned.kind.origin {
        Origin::CustomResource => ident("__custom"),
        Origin::Kubernetes | Origin::Aggregated => ident("__new"),
    };
    quote! { #rt::Selectable::#new(#path, #rt::__private::Reads::#reads) }
}
