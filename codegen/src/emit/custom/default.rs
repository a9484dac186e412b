//! Defaults of schemas.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::super::ident;
use super::Emitter;
use crate::error::Errors;
use crate::types::{Expression, Struct, expression};

impl Emitter<'_> {
    /// `Default`, where a field has another default than its type; `metadata` is a field before all others.
    pub(super) fn default_of(
        &self,
        name: &TokenStream,
        of: &Struct,
        metadata: Option<&TokenStream>,
    ) -> Result<Option<TokenStream>, Errors> {
        if of.fields.iter().all(|field| field.default.is_none()) {
            return Ok(None);
        }
        let mut values = Vec::new();
        for field in &of.fields {
            let name = ident(&field.name);
            let default = field.default.as_ref();
            let value = default.and_then(|d| expression(d, &field.of_type, self.types));
            let value = self.expression(&value.unwrap_or(Expression::Default));
            values.push(quote! { #name: #value, });
        }
        let rest = of.rest.as_ref().map(|(name, _)| {
            let (name, value) = (ident(name), self.expression(&Expression::Default));
            quote! { #name: #value, }
        });
        Ok(Some(quote! {
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self { #metadata #(#values)* #rest }
                }
            }
        }))
    }

    fn expression(&self, value: &Expression) -> TokenStream {
        let rt = self.rt;
        let inner = |value: &Expression| self.expression(value);
        match value {
            Expression::Default => quote! { ::core::default::Default::default() },
            Expression::Boolean(value) => quote! { #value },
            Expression::I32(value) => quote! { #value },
            Expression::I64(value) => quote! { #value },
            Expression::Number(value) => {
                let value = Literal::f64_suffixed(*value);
                quote! { #value }
            }
            Expression::Text(text) => quote! { ::std::string::String::from(#text) },
            Expression::DateTime(text) => quote! { #rt::custom::DateTime::from(#text) },
            Expression::Integer(value) => quote! { #rt::custom::IntOrString::Int(#value) },
            Expression::IntOrText(text) => quote! { #rt::custom::IntOrString::from(#text) },
            Expression::Any(value) => self.any(value),
            Expression::List(items) if items.is_empty() => quote! { ::std::vec::Vec::new() },
            Expression::List(items) => {
                let items = items.iter().map(inner);
                quote! { ::std::vec::Vec::from([#(#items),*]) }
            }
            Expression::Map(entries) if entries.is_empty() => {
                quote! { ::std::collections::BTreeMap::new() }
            }
            Expression::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| {
                    let value = self.expression(value);
                    quote! { (::std::string::String::from(#key), #value) }
                });
                quote! { ::std::collections::BTreeMap::from([#(#entries),*]) }
            }
            Expression::Some(value) => {
                let value = self.expression(value);
                quote! { ::core::option::Option::Some(#value) }
            }
            Expression::Boxed(value) => {
                let value = self.expression(value);
                quote! { ::std::boxed::Box::new(#value) }
            }
            Expression::Variant(place, variant) => {
                let (path, variant) = (self.path_to(place), ident(variant));
                quote! { #path::#variant }
            }
            Expression::Other(place, other, text) => {
                let (path, other) = (self.path_to(place), ident(other));
                quote! { #path::#other(::std::string::String::from(#text)) }
            }
            Expression::Struct(place, fields) => {
                let path = self.path_to(place);
                let fields = fields.iter().map(|(field, value)| {
                    let (field, value) = (ident(field), self.expression(value));
                    quote! { #field: #value }
                });
                quote! { #path { #(#fields,)* ..::core::default::Default::default() } }
            }
        }
    }

    /// A `serde_json::Value`.
    fn any(&self, value: &Value) -> TokenStream {
        let k8s = &self.paths.k8s_openapi_tokens;
        let json = quote! { #k8s::serde_json };
        match value {
            Value::Null => quote! { #json::Value::Null },
            Value::Bool(value) => quote! { #json::Value::Bool(#value) },
            Value::String(text) => quote! { #json::Value::from(#text) },
            Value::Number(number) => {
                let number = match (number.as_i64(), number.as_u64(), number.as_f64()) {
                    (Some(number), ..) => Literal::i64_suffixed(number),
                    (_, Some(number), _) => Literal::u64_suffixed(number),
                    (.., number) => Literal::f64_suffixed(number.unwrap_or_default()),
                };
                quote! { #json::Value::from(#number) }
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.any(item));
                quote! { #json::Value::Array(::std::vec::Vec::from([#(#items),*])) }
            }
            Value::Object(members) => {
                let members = members.iter().map(|(key, value)| {
                    let value = self.any(value);
                    quote! { (::std::string::String::from(#key), #value) }
                });
                quote! { #json::Value::Object([#(#members),*].into_iter().collect()) }
            }
        }
    }
}
