//! The kind's own module: what it is, how it is kept, and the way into the runtime for its handlers.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::docs::{doc, inner_doc};
use super::{Context, custom, existing, selectable};
use crate::error::Errors;
use crate::model::Scope;
use crate::plan::ObjectType;

pub(super) fn emit(context: &Context<'_>) -> Result<TokenStream, Errors> {
    let rt = context.rt;
    let names = &context.names;
    let (object, module, handler) = (&names.object, &names.module, &names.handler);
    let k8s = &context.paths.k8s_openapi_tokens;
    let (vis, inner_vis) = (&context.surroundings.vis, &context.surroundings.inner_vis);
    let (metadata, metadata_mut) = existing::metadata(context);
    let id = &context.planned.kind.id;
    let (group, version, kind) = (&id.group, &id.version, &id.kind);
    let plural = &context.planned.kind.plural;
    let scope = match context.planned.kind.scope {
        Scope::Namespaced => format_ident!("Namespaced"),
        Scope::Cluster => format_ident!("Cluster"),
    };
    let doc_module = inner_doc(&format!(
        "How [`{object}`](super::{object}) objects are kept, and the name of their kind."
    ));
    let doc_kind = doc("Group, version, kind, plural and scope.");
    let selectable = selectable::emit(context);
    let (allow, types) = match &context.planned.object {
        ObjectType::BuiltIn(_) => (None, None),
        ObjectType::Existing(_) => (None, Some(existing::emit_inside(context))),
        ObjectType::Custom(custom) => (
            // Names and texts are those of the definition.
            Some(quote! { #[allow(non_camel_case_types, clippy::all, clippy::pedantic)] }),
            Some(custom::emit_inside(context, custom)?),
        ),
    };
    let doc_full = doc(&format!(
        "Keeps the whole decoded object: reads yield `Arc<{object}>`."
    ));
    let doc_adapter = doc(&format!(
        "Makes a [`{handler}`](super::{handler}) a {}, the runtime's own trait.",
        context.paths.link("Handler")
    ));
    Ok(quote! {
        #allow
        #vis mod #module {
            #doc_module

            #doc_kind
            pub const KIND: #rt::Kind =
                #rt::Kind::from_static(#group, #version, #kind, #plural, #rt::Scope::#scope);

            #selectable

            #types

            #doc_full
            #inner_vis enum Full {}

            impl #rt::Kept for Full {
                type Object = super::#object;
                type Stored = ::std::sync::Arc<super::#object>;
                type Read = ::std::sync::Arc<super::#object>;

                #[inline]
                fn store(
                    raw: &#rt::RawObject<'_>,
                    transform: &#rt::Transform<super::#object>,
                ) -> ::core::result::Result<Self::Stored, #rt::StoreError> {
                    #rt::store_decoded(raw, transform)
                }

                #[inline]
                fn read(stored: &Self::Stored) -> Self::Read {
                    ::std::sync::Arc::clone(stored)
                }

                #[inline]
                fn metadata_mut(
                    object: &mut super::#object,
                ) -> ::core::option::Option<&mut #k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta> {
                    ::core::option::Option::Some(#metadata_mut(object))
                }
            }

            impl #rt::KeptLabels for Full {
                #[inline]
                fn labels(
                    stored: &Self::Stored,
                ) -> ::std::borrow::Cow<
                    '_,
                    ::std::collections::BTreeMap<::std::string::String, ::std::string::String>,
                > {
                    #rt::labels_of(#metadata(&**stored))
                }
            }

            impl #rt::KeptMetadata for Full {
                #[inline]
                fn metadata(stored: &Self::Stored) -> &#k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                    #metadata(&**stored)
                }
            }

            impl #rt::KeptFields for Full {
                const FIELDS: &'static [#rt::Selectable<super::#object>] = selectable::ALL;
            }

            impl #rt::Transformable for Full {}

            #doc_adapter
            pub struct Handles<H>(pub H);

            impl<R, H> #rt::Handler<R> for Handles<H>
            where
                R: #rt::Kept,
                H: super::#handler<R>,
            {
                #[inline]
                fn on_add(&self, object: &#rt::Seen<R>, initial: bool) {
                    self.0.on_add(object, initial);
                }

                #[inline]
                fn on_update(&self, old: &#rt::Seen<R>, new: &#rt::Seen<R>) {
                    self.0.on_update(old, new);
                }

                #[inline]
                fn on_delete(&self, object: &#rt::Tombstone<R>) {
                    self.0.on_delete(object);
                }
            }
        }
    })
}
