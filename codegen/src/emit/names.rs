//! Every identifier of one kind.

use larder_naming::module_name;
use proc_macro2::Ident;

use super::ident;
use crate::model::Scope;
use crate::plan::{ObjectType, Planned};

/// The names of one kind in its group-version's module.
pub(super) struct Names {
    /// `Pod`
    pub(super) object: Ident,
    /// `pod`, also the name of a parameter.
    pub(super) module: Ident,
    /// `PodInformer`
    pub(super) informer: Ident,
    /// `PodMetadataInformer`
    pub(super) metadata_informer: Ident,
    /// `PodStore`
    pub(super) store: Ident,
    /// `PodLister`
    pub(super) lister: Ident,
    /// `PodNamespaceLister`; `None` for a cluster-scoped kind.
    pub(super) namespace_lister: Option<Ident>,
    /// `PodIndexer`
    pub(super) indexer: Ident,
    /// `PodEventHandler`
    pub(super) handler: Ident,
}

impl Names {
    pub(super) fn new(planned: &Planned) -> Self {
        let object = match &planned.object {
            ObjectType::BuiltIn(path) => ident(path.rsplit("::").next().unwrap_or(path)),
            ObjectType::Custom(custom) => ident(&custom.type_name),
            ObjectType::Existing(existing) => existing.name.clone(),
        };
        let text = object.to_string();
        let text = text.trim_start_matches("r#");
        let module = match &planned.object {
            ObjectType::Existing(existing) => existing.module.clone(),
            ObjectType::BuiltIn(_) | ObjectType::Custom(_) => None,
        };
        let with = |suffix| ident(&format!("{text}{suffix}"));
        let namespaced = planned.kind.scope == Scope::Namespaced;
        Self {
            module: module.unwrap_or_else(|| ident(&module_name(text))),
            informer: with("Informer"),
            metadata_informer: with("MetadataInformer"),
            store: with("Store"),
            lister: with("Lister"),
            namespace_lister: namespaced.then(|| with("NamespaceLister")),
            indexer: with("Indexer"),
            handler: with("EventHandler"),
            object,
        }
    }

    pub(super) fn all(&self) -> Vec<String> {
        let all = std::iter::once(&self.object).chain(self.beside_object());
        all.map(ToString::to_string).collect()
    }

    /// All but the object's own.
    pub(super) fn beside_object(&self) -> impl Iterator<Item = &Ident> {
        let names = [
            &self.module,
            &self.informer,
            &self.metadata_informer,
            &self.store,
            &self.lister,
            &self.indexer,
            &self.handler,
        ];
        names.into_iter().chain(&self.namespace_lister)
    }
}
