//! Which property each field is: `field!` asks, as several spellings give one field.

use std::collections::{BTreeMap, BTreeSet};

use larder_naming::{escape_keyword, field_name, hash};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::ident;
use super::Emitter;
use crate::plan::{ObjectType, Plan};
use crate::types::{SharedBody, Struct, Types};

/// For each property of all emitted types, a type that is called so.
#[derive(Default)]
pub(in crate::emit) struct Properties(BTreeMap<String, Ident>);

impl Properties {
    pub(in crate::emit) fn of(plan: &Plan) -> Self {
        let mut names = BTreeSet::new();
        for planned in &plan.kinds {
            if let ObjectType::Custom(custom) = &planned.object {
                collect(&custom.types, &mut names);
            }
        }
        for shared in &plan.library.shared {
            if let SharedBody::Struct(types) = &shared.body {
                collect(types, &mut names);
            }
        }
        let mut taken = BTreeSet::new();
        let named = names.into_iter().map(|json| {
            let mut name = plain(&json);
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            let name = ident(&name);
            (json, name)
        });
        Self(named.collect())
    }

    /// The module that has them; nothing where there are none.
    pub(in crate::emit) fn emit(&self, rt: &TokenStream) -> Option<TokenStream> {
        let properties = self.0.iter().map(|(json, name)| {
            let hash = hash(json);
            quote! { #name #hash }
        });
        (!self.0.is_empty()).then(|| {
            quote! {
                #[doc(hidden)]
                #[allow(unreachable_pub)]
                pub mod __properties {
                    #rt::__private::properties!(#(#properties),*);
                }
            }
        })
    }
}

fn collect(types: &Types, names: &mut BTreeSet<String>) {
    let fields = types.structs().flat_map(|(_, of)| &of.fields);
    names.extend(fields.map(|field| field.json.clone()));
}

/// The name itself, where it can be one; what rustc shows is this.
fn plain(json: &str) -> String {
    let is_identifier = json.starts_with(|c: char| c.is_ascii_alphabetic())
        && json.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_identifier {
        escape_keyword(json.to_owned())
    } else {
        field_name(json)
    }
}

impl Emitter<'_> {
    pub(super) fn spelling(&self, name: &Ident, of: &Struct) -> Option<TokenStream> {
        let (rt, up) = (self.rt, self.up());
        let fields = of.fields.iter().filter_map(|field| {
            let property = self.properties.0.get(&field.json)?;
            let hash = hash(&field.name);
            Some(quote! { #hash #property })
        });
        (!of.fields.is_empty()).then(|| {
            quote! { #rt::__private::spelt!(#name, {#up __properties}, #(#fields),*); }
        })
    }
}
