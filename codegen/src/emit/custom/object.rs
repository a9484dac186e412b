//! The object of a kind.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::super::docs::{self, doc};
use super::super::{Context, ident};
use super::Emitter;
use super::structs::{groups, rest_name};
use crate::error::Errors;
use crate::model::{CustomKind, Scope};
use crate::plan::Custom;
use crate::types::Type;

pub(super) fn object_meta(k8s: &TokenStream) -> TokenStream {
    quote! { #k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta }
}

impl Emitter<'_> {
    pub(super) fn object(
        &self,
        context: &Context<'_>,
        custom: &Custom,
    ) -> Result<TokenStream, Errors> {
        let name = &context.names.object;
        let root = &self.types.root;
        let meta = object_meta(&self.paths.k8s_openapi_tokens);
        let fields = root.fields.iter().map(|field| self.field(field));
        let fields = fields.collect::<Result<Vec<_>, Errors>>()?;
        let rest = self.rest(root)?;
        let metadata = quote! { metadata: ::core::default::Default::default(), };
        let default = self.default_of(&quote! { #name }, root, Some(&metadata))?;
        let derived = default
            .is_none()
            .then(|| quote! { ::core::default::Default, });
        let doc_object = doc(&docs::custom_object(context, custom));
        let doc_meta = doc("Name, namespace, labels and what else every object has.");
        let new = self.constructor(name)?;
        let traits = self.traits(name, &custom.kind);
        let serde = self.serde(name);
        let spelling = self.spelling(name, root);
        Ok(quote! {
            #doc_object
            #[derive(::core::clone::Clone, ::core::fmt::Debug, #derived ::core::cmp::PartialEq)]
            pub struct #name {
                #doc_meta
                pub metadata: #meta,
                #(#fields,)*
                #rest
            }

            #default
            #new
            #traits
            #serde
            #spelling
        })
    }

    fn constructor(&self, name: &Ident) -> Result<TokenStream, Errors> {
        let meta = object_meta(&self.paths.k8s_openapi_tokens);
        let fields = &self.types.root.fields;
        let spec = fields.iter().find(|field| field.json == "spec");
        let (parameter, given) = match spec {
            None => (None, None),
            Some(spec) => {
                let field = ident(&spec.name);
                let of_type = self.type_tokens(spec.of_type.present())?;
                let value = match spec.of_type {
                    Type::Optional(_) => quote! { ::core::option::Option::Some(#field) },
                    _ => quote! { #field },
                };
                (
                    Some(quote! { , #field: #of_type }),
                    Some(quote! { #field: #value, }),
                )
            }
        };
        let doc = doc(if spec.is_some() {
            "An object of this name and spec; in no namespace, and with no more."
        } else {
            "An object of this name; in no namespace, and with no more."
        });
        Ok(quote! {
            impl #name {
                #doc
                #[allow(clippy::needless_update, clippy::redundant_field_names)]
                #[must_use]
                pub fn new(
                    name: impl ::core::convert::Into<::std::string::String>
                    #parameter
                ) -> Self {
                    Self {
                        metadata: #meta {
                            name: ::core::option::Option::Some(
                                ::core::convert::Into::into(name),
                            ),
                            ..::core::default::Default::default()
                        },
                        #given
                        ..::core::default::Default::default()
                    }
                }
            }
        })
    }

    fn traits(&self, name: &Ident, kind: &CustomKind) -> TokenStream {
        let k8s = &self.paths.k8s_openapi_tokens;
        let (id, plural, list) = (&kind.id, &kind.plural, &kind.list_kind);
        let (api_version, group) = (id.api_version(), &id.group);
        let (version, of_kind) = (&id.version, &id.kind);
        let scope = match kind.scope {
            Scope::Namespaced => format_ident!("NamespaceResourceScope"),
            Scope::Cluster => format_ident!("ClusterResourceScope"),
        };
        let meta = object_meta(k8s);
        quote! {
            impl #k8s::Resource for #name {
                const API_VERSION: &'static str = #api_version;
                const GROUP: &'static str = #group;
                const KIND: &'static str = #of_kind;
                const VERSION: &'static str = #version;
                const URL_PATH_SEGMENT: &'static str = #plural;
                type Scope = #k8s::#scope;
            }

            impl #k8s::ListableResource for #name {
                const LIST_KIND: &'static str = #list;
            }

            impl #k8s::Metadata for #name {
                type Ty = #meta;

                #[inline]
                fn metadata(&self) -> &Self::Ty {
                    &self.metadata
                }

                #[inline]
                fn metadata_mut(&mut self) -> &mut Self::Ty {
                    &mut self.metadata
                }
            }
        }
    }

    /// With `apiVersion` and `kind`, which are no fields.
    fn serde(&self, name: &Ident) -> TokenStream {
        let (rt, root) = (self.rt, &self.types.root);
        let mut all = vec!["apiVersion", "kind", "metadata"];
        all.extend(root.fields.iter().map(|field| field.json.as_str()));
        all.sort_unstable();
        let number = |json: &str| all.partition_point(|name| *name < json);
        let [api_version, kind, metadata] =
            ["apiVersion", "kind", "metadata"].map(|json| Literal::usize_unsuffixed(number(json)));
        let fields = root.fields.iter();
        let groups = groups(fields.map(|field| (number(&field.json), field)));
        let rest = rest_name(root);
        quote! {
            #rt::__private::object!(
                of #name, #api_version, #kind, #metadata, [#(#all),*], #groups #rest
            );
        }
    }
}
