//! The object of a kind.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::super::docs::{self, doc};
use super::super::ident;
use super::Emitter;
use crate::error::Errors;
use crate::model::Scope;
use crate::types::{Field, Type};

pub(super) fn object_meta(k8s: &TokenStream) -> TokenStream {
    quote! { #k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta }
}

impl Emitter<'_> {
    pub(super) fn object(&self) -> Result<TokenStream, Errors> {
        let name = &self.context.names.object;
        let root = &self.custom.types.root;
        let meta = object_meta(&self.context.paths.k8s_openapi_tokens);
        let fields = root.fields.iter().map(|field| self.field(field, None));
        let fields = fields.collect::<Result<Vec<_>, Errors>>()?;
        let rest = self.rest(root, None)?;
        let metadata = quote! { metadata: ::core::default::Default::default(), };
        let default = self.default_of(&quote! { #name }, root, Some(metadata))?;
        let derived = default
            .is_none()
            .then(|| quote! { ::core::default::Default, });
        let doc_object = doc(&docs::custom_object(self.context, self.custom));
        let doc_meta = doc("Name, namespace, labels and what else every object has.");
        let new = self.new()?;
        let traits = self.traits();
        let serialize = self.serialize();
        let deserialize = self.deserialize()?;
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
            #serialize
            #deserialize
        })
    }

    fn new(&self) -> Result<TokenStream, Errors> {
        let name = &self.context.names.object;
        let meta = object_meta(&self.context.paths.k8s_openapi_tokens);
        let fields = &self.custom.types.root.fields;
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
                (Some(quote! { , #field: #of_type }), Some(quote! { #field: #value, }))
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

    fn traits(&self) -> TokenStream {
        let k8s = &self.context.paths.k8s_openapi_tokens;
        let name = &self.context.names.object;
        let kind = &self.custom.kind;
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
    fn serialize(&self) -> TokenStream {
        let (serde, k8s) = (self.serde(), &self.context.paths.k8s_openapi_tokens);
        let name = &self.context.names.object;
        let root = &self.custom.types.root;
        let entry = quote! { #serde::ser::SerializeMap::serialize_entry };
        let fields = root.fields.iter().map(|field| {
            let (name, json) = (ident(&field.name), &field.json);
            if matches!(field.of_type, Type::Optional(_)) && !field.writes_null {
                quote! {
                    if let ::core::option::Option::Some(value) = &self.#name {
                        #entry(&mut map, #json, value)?;
                    }
                }
            } else {
                quote! { #entry(&mut map, #json, &self.#name)?; }
            }
        });
        let rest = root.rest.as_ref().map(|(name, _)| {
            let name = ident(name);
            quote! {
                for (name, value) in &self.#name {
                    #entry(&mut map, name, value)?;
                }
            }
        });
        quote! {
            impl #serde::Serialize for #name {
                fn serialize<S: #serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> ::core::result::Result<S::Ok, S::Error> {
                    let mut map = serializer.serialize_map(::core::option::Option::None)?;
                    #entry(&mut map, "apiVersion", <Self as #k8s::Resource>::API_VERSION)?;
                    #entry(&mut map, "kind", <Self as #k8s::Resource>::KIND)?;
                    #entry(&mut map, "metadata", &self.metadata)?;
                    #(#fields)*
                    #rest
                    #serde::ser::SerializeMap::end(map)
                }
            }
        }
    }

    /// By a type that has `apiVersion` and `kind`, which have to be those of the object where they are given.
    fn deserialize(&self) -> Result<TokenStream, Errors> {
        let (rt, serde) = (self.context.rt, self.serde());
        let serde_text = serde.to_string().replace(' ', "");
        let name = &self.context.names.object;
        let root = &self.custom.types.root;
        let meta = object_meta(&self.context.paths.k8s_openapi_tokens);
        let mut names: Vec<Ident> = root.fields.iter().map(|f| ident(&f.name)).collect();
        let declared = root.fields.iter().map(|field: &Field| {
            let (name, of_type) = (ident(&field.name), self.type_tokens(&field.of_type)?);
            let attribute = attribute_for_reading(field);
            Ok(quote! { #attribute #name: #of_type })
        });
        let declared = declared.collect::<Result<Vec<_>, Errors>>()?;
        let rest = match &root.rest {
            Some((name, of_type)) => {
                let name = ident(name);
                let map = self.type_tokens(&Type::Map(Box::new(of_type.clone())))?;
                names.push(name.clone());
                Some(quote! { #[serde(flatten)] #name: #map, })
            }
            None => None,
        };
        Ok(quote! {
            impl<'de> #serde::Deserialize<'de> for #name {
                fn deserialize<D: #serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> ::core::result::Result<Self, D::Error> {
                    #[derive(#serde::Deserialize)]
                    #[serde(crate = #serde_text, default)]
                    struct Wire {
                        #[serde(rename = "apiVersion")]
                        __api_version: ::core::option::Option<::std::string::String>,
                        #[serde(rename = "kind")]
                        __kind: ::core::option::Option<::std::string::String>,
                        metadata: #meta,
                        #(#declared,)*
                        #rest
                    }

                    impl ::core::default::Default for Wire {
                        fn default() -> Self {
                            let object = <#name as ::core::default::Default>::default();
                            Self {
                                __api_version: ::core::option::Option::None,
                                __kind: ::core::option::Option::None,
                                metadata: object.metadata,
                                #(#names: object.#names,)*
                            }
                        }
                    }

                    let wire = <Wire as #serde::Deserialize>::deserialize(deserializer)?;
                    #rt::__private::check_kind::<Self, D::Error>(
                        wire.__api_version.as_deref(),
                        wire.__kind.as_deref(),
                    )?;
                    ::core::result::Result::Ok(Self {
                        metadata: wire.metadata,
                        #(#names: wire.#names,)*
                    })
                }
            }
        })
    }
}

fn attribute_for_reading(field: &Field) -> Option<TokenStream> {
    let json = &field.json;
    (field.name != field.json).then(|| quote! { #[serde(rename = #json)] })
}
