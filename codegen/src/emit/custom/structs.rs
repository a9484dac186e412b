//! Objects below a kind.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::super::docs::doc;
use super::super::{ident, prose};
use super::Emitter;
use crate::error::Errors;
use crate::types::{Field, Struct, Type};

/// What a field of its own keeps.
pub(super) const REST: &str = "What no other field is for.";

impl Emitter<'_> {
    pub(super) fn structure(
        &self,
        name: &Ident,
        doc: &TokenStream,
        of: &Struct,
    ) -> Result<TokenStream, Errors> {
        let rt = self.rt;
        let fields = of.fields.iter().map(|field| self.field(field));
        let fields = fields.collect::<Result<Vec<_>, Errors>>()?;
        let rest = self.rest(of)?;
        let default = self.default_of(&quote! { #name }, of, None)?;
        let derived = default
            .is_none()
            .then(|| quote! { ::core::default::Default, });
        // Properties are sorted, and so are their numbers.
        let names = of.fields.iter().map(|field| &field.json);
        let groups = groups(of.fields.iter().enumerate());
        let rest_name = rest_name(of);
        let spelling = self.spelling(name, of);
        Ok(quote! {
            #doc
            #[derive(
                ::core::clone::Clone, ::core::fmt::Debug, #derived ::core::cmp::PartialEq,
            )]
            pub struct #name { #(#fields,)* #rest }

            #default
            #rt::__private::object!(#name, [#(#names),*], #groups #rest_name);
            #spelling
        })
    }

    /// The field with its documentation.
    pub(super) fn field(&self, field: &Field) -> Result<TokenStream, Errors> {
        let (name, of_type) = (ident(&field.name), self.type_tokens(&field.of_type)?);
        let mut text = prose::clean(field.docs.text());
        if text.is_empty() {
            text = format!("`{}`", field.json.replace('`', "'"));
        }
        if let Some(default) = &field.default {
            // Text of the definition, which may hold anything.
            let shown = default.to_string();
            if !shown.contains('`') && shown.len() <= 100 {
                text.push_str(&format!("\n\nDefault: `{shown}`"));
            }
        }
        let doc = doc(&text);
        Ok(quote! { #doc pub #name: #of_type })
    }

    pub(super) fn rest(&self, of: &Struct) -> Result<Option<TokenStream>, Errors> {
        let Some((name, of_type)) = &of.rest else {
            return Ok(None);
        };
        let name = ident(name);
        let map = self.type_tokens(&Type::Map(Box::new(of_type.clone())))?;
        let doc = doc(REST);
        Ok(Some(quote! { #doc pub #name: #map }))
    }
}

/// The end of an `object!` that has a field for what no other is for.
pub(super) fn rest_name(of: &Struct) -> Option<TokenStream> {
    of.rest.as_ref().map(|(name, _)| {
        let name = ident(name);
        quote! { , #name }
    })
}

/// Whether a value has numbers that no type of its own writes: without a fraction they have no point.
fn has_numbers(of_type: &Type) -> bool {
    match of_type {
        Type::Number => true,
        Type::List(inner) | Type::Map(inner) | Type::Optional(inner) | Type::Boxed(inner) => {
            has_numbers(inner)
        }
        _ => false,
    }
}

/// The fields as `object!` takes them: in three groups, each with its number among all names.
pub(super) fn groups<'a>(numbered: impl Iterator<Item = (usize, &'a Field)>) -> TokenStream {
    let (mut plain, mut null, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for (number, field) in numbered {
        let group = match field.of_type {
            Type::Optional(_) if field.writes_null => &mut null,
            Type::Optional(_) => &mut skipped,
            _ => &mut plain,
        };
        let (number, name) = (Literal::usize_unsuffixed(number), ident(&field.name));
        let json = &field.json;
        let written = has_numbers(&field.of_type).then(|| quote! { as Numbers });
        group.push(quote! { #number #name #json #written });
    }
    quote! { {#(#plain),*} {#(#null),*} {#(#skipped),*} }
}
