//! Objects below a kind.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::doc;
use super::super::{ident, prose};
use super::Emitter;
use crate::error::Errors;
use crate::types::{Definition, Field, Struct, Type};

/// What a field of its own keeps.
pub(super) const REST: &str = "What no other field is for.";

impl Emitter<'_> {
    pub(super) fn structure(
        &self,
        definition: &Definition,
        of: &Struct,
    ) -> Result<TokenStream, Errors> {
        let serde = self.serde();
        let serde_text = serde.to_string().replace(' ', "");
        let name = Self::name_of(definition);
        let doc = self.docs(definition);
        let fields = of.fields.iter().map(|field| {
            let attribute = attribute(field);
            self.field(field, attribute)
        });
        let fields = fields.collect::<Result<Vec<_>, Errors>>()?;
        let rest = self.rest(of, Some(quote! { #[serde(flatten)] }))?;
        let default = self.default_of(&quote! { #name }, of, None)?;
        let derived = default
            .is_none()
            .then(|| quote! { ::core::default::Default, });
        Ok(quote! {
            #doc
            #[derive(
                ::core::clone::Clone, ::core::fmt::Debug, #derived ::core::cmp::PartialEq,
                #serde::Deserialize, #serde::Serialize,
            )]
            #[serde(crate = #serde_text, default)]
            pub struct #name { #(#fields,)* #rest }

            #default
        })
    }

    pub(super) fn serde(&self) -> TokenStream {
        let rt = self.context.rt;
        quote! { #rt::__private::serde }
    }

    /// The field with its documentation.
    pub(super) fn field(
        &self,
        field: &Field,
        attribute: Option<TokenStream>,
    ) -> Result<TokenStream, Errors> {
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
        Ok(quote! { #doc #attribute pub #name: #of_type })
    }

    pub(super) fn rest(
        &self,
        of: &Struct,
        attribute: Option<TokenStream>,
    ) -> Result<Option<TokenStream>, Errors> {
        let Some((name, of_type)) = &of.rest else {
            return Ok(None);
        };
        let name = ident(name);
        let map = self.type_tokens(&Type::Map(Box::new(of_type.clone())))?;
        let doc = doc(REST);
        Ok(Some(quote! { #doc #attribute pub #name: #map }))
    }
}

/// How the field stands in JSON.
fn attribute(field: &Field) -> Option<TokenStream> {
    let is_renamed = field.name != field.json;
    let json = &field.json;
    let rename = is_renamed.then(|| quote! { rename = #json, });
    let is_skipped = matches!(field.of_type, Type::Optional(_)) && !field.writes_null;
    let skip = is_skipped
        .then(|| quote! { skip_serializing_if = "::core::option::Option::is_none" });
    (is_renamed || is_skipped).then(|| quote! { #[serde(#rename #skip)] })
}
