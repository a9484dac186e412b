//! Definitions of a document, each emitted once for all kinds that refer to it.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::{doc, inner_doc};
use super::super::{Paths, ident};
use super::{Emitter, Properties, choice, type_doc};
use crate::error::Errors;
use crate::types::{Library, Shared, SharedBody};

/// The module of them, with one module for each package; nothing where there are none.
pub(in crate::emit) fn emit_definitions(
    library: &Library,
    paths: &Paths,
    properties: &Properties,
) -> Result<Option<TokenStream>, Errors> {
    let mut packages: BTreeMap<&str, Vec<TokenStream>> = BTreeMap::new();
    for shared in &library.shared {
        let package = packages.entry(&shared.names.package).or_default();
        package.push(definition(shared, paths, properties)?);
    }
    if packages.is_empty() {
        return Ok(None);
    }
    let packages = packages.into_iter().map(|(name, types)| {
        let doc = inner_doc("Definitions of one package.");
        let name = ident(name);
        quote! { pub mod #name { #doc #(#types)* } }
    });
    let name = ident(&library.module);
    let doc = doc(
        "What kinds of aggregated APIs are made of: the definitions of the cluster's document.",
    );
    Ok(Some(quote! {
        #doc
        #[allow(
            dead_code, unreachable_pub, non_camel_case_types, clippy::all, clippy::pedantic,
        )]
        pub mod #name { #(#packages)* }
    }))
}

fn definition(
    shared: &Shared,
    paths: &Paths,
    properties: &Properties,
) -> Result<TokenStream, Errors> {
    let rt = &paths.runtime;
    let of = format!("Of `{}`.", shared.name.replace('`', "'"));
    let doc = type_doc(&shared.docs, &of);
    let name = ident(&shared.names.type_name);
    let types = match &shared.body {
        SharedBody::Struct(types) => types,
        SharedBody::Choice(values) => return Ok(choice::emit(rt, &name, &doc, values)),
    };
    let module = ident(&shared.names.module);
    let beside = Emitter {
        rt,
        paths,
        properties,
        types,
        own: &module,
        of,
        module: None,
    };
    let object = beside.structure(&name, &doc, &types.root)?;
    if types.below.is_empty() {
        return Ok(object);
    }
    let doc = inner_doc(&format!("What [`{name}`](super::{name}) is made of."));
    let below = Emitter {
        module: Some(Vec::new()),
        ..beside
    };
    let below = below.types()?;
    Ok(quote! { #object pub mod #module { #doc #below } })
}
