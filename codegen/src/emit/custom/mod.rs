//! Types of custom resources: the object beside the names of its kind, everything else in the kind's own module.

mod choice;
mod default;
mod definitions;
mod facts;
mod object;
mod spelling;
mod structs;

pub(super) use definitions::emit_definitions;
pub(super) use spelling::Properties;

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::docs::{doc, inner_doc};
use super::{Context, Paths, ident, prose};
use crate::error::Errors;
use crate::model::Docs;
use crate::plan::Custom;
use crate::types::{Body, Definition, Type, Types};

/// The object and what is implemented for it.
pub(super) fn emit_object(context: &Context<'_>, custom: &Custom) -> Result<TokenStream, Errors> {
    Emitter::of_kind(context, custom, None).object(context, custom)
}

/// What belongs into the kind's own module.
pub(super) fn emit_inside(context: &Context<'_>, custom: &Custom) -> Result<TokenStream, Errors> {
    let emitter = Emitter::of_kind(context, custom, Some(Vec::new()));
    let facts = emitter.facts(&custom.kind);
    let types = emitter.types()?;
    Ok(quote! { #facts #types })
}

/// The definitions of a module and of those below it.
#[derive(Default)]
struct Module<'a> {
    own: Vec<&'a Definition>,
    below: BTreeMap<&'a str, Module<'a>>,
}

impl<'a> Module<'a> {
    /// `depth` is how many modules lie above this one.
    fn add(&mut self, definition: &'a Definition, depth: usize) {
        match definition.place.get(depth..) {
            Some([module, _, ..]) => {
                let below = self.below.entry(module.as_str()).or_default();
                below.add(definition, depth + 1);
            }
            _ => self.own.push(definition),
        }
    }
}

/// The description of a type; of one about which nothing is said, `of` says what it belongs to.
fn type_doc(docs: &Docs, of: &str) -> TokenStream {
    let text = prose::clean(docs.text());
    doc(if text.is_empty() { of } else { &text })
}

/// Emits the types of a kind, or of a definition that several kinds share: an object, and beside it a module of what that is made of.
struct Emitter<'a> {
    /// The path of the runtime.
    rt: &'a TokenStream,
    paths: &'a Paths,
    properties: &'a Properties,
    types: &'a Types,
    /// The module beside the object.
    own: &'a Ident,
    /// What the types are of, for those of which nothing is said.
    of: String,
    /// The module, below `own`, that the code stands in; `None` for the one that has `own`, which lies two modules below the root of what
    /// is emitted.
    module: Option<Vec<String>>,
}

impl<'a> Emitter<'a> {
    fn of_kind(context: &'a Context<'a>, custom: &'a Custom, module: Option<Vec<String>>) -> Self {
        Self {
            rt: context.rt,
            paths: context.paths,
            properties: context.properties,
            types: &custom.types,
            own: &context.names.module,
            of: format!("Of `{}` objects.", custom.kind.id.kind),
            module,
        }
    }

    /// What belongs into the module of its own.
    fn types(&self) -> Result<TokenStream, Errors> {
        let mut root = Module::default();
        for definition in &self.types.below {
            root.add(definition, 0);
        }
        self.of_module(&root)
    }

    fn of_module(&self, module: &Module<'_>) -> Result<TokenStream, Errors> {
        let own = module
            .own
            .iter()
            .map(|definition| self.definition(definition));
        let own = own.collect::<Result<Vec<_>, Errors>>()?;
        let below = module.below.iter().map(|(name, module)| {
            let mut place = self.module.clone().unwrap_or_default();
            place.push((*name).to_owned());
            let doc = inner_doc(&format!("What `{}` is made of.", place.join(".")));
            let emitter = Emitter {
                module: Some(place),
                of: self.of.clone(),
                ..*self
            };
            let (name, types) = (ident(name), emitter.of_module(module)?);
            Ok(quote! { pub mod #name { #doc #types } })
        });
        let below = below.collect::<Result<Vec<_>, Errors>>()?;
        Ok(quote! { #(#own)* #(#below)* })
    }

    /// The path to a type from where the code stands.
    fn path_to(&self, place: &[String]) -> TokenStream {
        let path = |names: &[String]| {
            let names = names.iter().map(|name| ident(name));
            quote! { #(#names)::* }
        };
        let Some(module) = &self.module else {
            let (own, path) = (self.own, path(place));
            return quote! { #own::#path };
        };
        let modules = place.split_last().map_or(place, |(_, modules)| modules);
        let pairs = module.iter().zip(modules);
        let common = pairs.take_while(|(here, there)| here == there).count();
        let up = (common..module.len()).map(|_| quote! { super:: });
        let down = path(place.get(common..).unwrap_or_default());
        quote! { #(#up)* #down }
    }

    /// The path to the root of what is emitted, from where the code stands.
    fn up(&self) -> TokenStream {
        let depth = self.module.as_ref().map_or(2, |module| 3 + module.len());
        let up = (0..depth).map(|_| quote! { super:: });
        quote! { #(#up)* }
    }

    /// The path to a definition that several kinds share.
    fn path_to_shared(&self, place: &[String]) -> TokenStream {
        let (up, names) = (self.up(), place.iter().map(|name| ident(name)));
        quote! { #up #(#names)::* }
    }

    /// The name of a type that the code stands beside.
    fn name_of(definition: &Definition) -> Ident {
        ident(definition.place.last().map_or("", String::as_str))
    }

    fn definition(&self, definition: &Definition) -> Result<TokenStream, Errors> {
        let name = Self::name_of(definition);
        Ok(match &definition.body {
            Body::Struct(of) => self.structure(&name, &self.docs(definition), of)?,
            Body::Choice(values) => choice::emit(self.rt, &name, &self.docs(definition), values),
            Body::Alias(of) => {
                let doc = self.docs(definition);
                let of = self.path_to(of);
                quote! { #doc pub type #name = #of; }
            }
            Body::BuiltIn(path) => {
                let doc = self.docs(definition);
                let path = self.paths.k8s(path)?;
                quote! { #doc pub type #name = #path; }
            }
            Body::Definition(place) => {
                let doc = self.docs(definition);
                let path = self.path_to_shared(place);
                quote! { #doc pub type #name = #path; }
            }
        })
    }

    fn docs(&self, definition: &Definition) -> TokenStream {
        type_doc(&definition.docs, &self.of)
    }

    fn type_tokens(&self, of_type: &Type) -> Result<TokenStream, Errors> {
        let rt = self.rt;
        let k8s = &self.paths.k8s_openapi_tokens;
        let inner = |inner: &Type| self.type_tokens(inner);
        Ok(match of_type {
            Type::Any => quote! { #k8s::serde_json::Value },
            Type::Boolean => quote! { bool },
            Type::I32 => quote! { i32 },
            Type::I64 => quote! { i64 },
            Type::Number => quote! { f64 },
            Type::Text => quote! { ::std::string::String },
            Type::DateTime => quote! { #rt::custom::DateTime },
            Type::IntOrString => quote! { #rt::custom::IntOrString },
            Type::ObjectMeta => object::object_meta(k8s),
            Type::Named(place) => self.path_to(place),
            Type::BuiltIn(path) => {
                let path = self.paths.k8s(path)?;
                quote! { #path }
            }
            Type::Definition(place) => self.path_to_shared(place),
            Type::Foreign(path) => syn::parse_str::<syn::Type>(path)
                .map(quote::ToTokens::into_token_stream)
                .map_err(super::emitted)?,
            Type::List(items) => {
                let items = inner(items)?;
                quote! { ::std::vec::Vec<#items> }
            }
            Type::Map(values) => {
                let values = inner(values)?;
                quote! { ::std::collections::BTreeMap<::std::string::String, #values> }
            }
            Type::Optional(value) => {
                let value = inner(value)?;
                quote! { ::core::option::Option<#value> }
            }
            Type::Boxed(value) => {
                let value = inner(value)?;
                quote! { ::std::boxed::Box<#value> }
            }
        })
    }
}
