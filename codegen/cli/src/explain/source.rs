//! Where the kinds come from that are explained: a document, definitions of custom resources, or the cluster.

use std::collections::BTreeMap;

use anyhow::anyhow;
use larder_codegen::inspect::{CustomResources, SelectableField, selectable_fields};
use larder_codegen::{Kind, KindId, Model, Origin};

use crate::args::Explain;
use crate::cluster::Groups;
use crate::{cluster, model};

/// Kinds, with what the server selects them by.
#[derive(Default)]
pub(super) struct Source {
    pub(super) model: Model,
    /// What is declared of kinds that are not Kubernetes' own.
    declared: BTreeMap<KindId, Vec<SelectableField>>,
    not_served: Vec<KindId>,
}

impl Source {
    pub(super) fn of(args: &Explain) -> anyhow::Result<Self> {
        let mut source = Self::default();
        if let Some(document) = &args.openapi {
            source = Self::of_document(model::read(document)?);
        } else if args.crds.is_empty() {
            source = Self::of_document(cluster::model(&args.connection, Groups::Readable)?);
        }
        // They say more than a document.
        if !args.crds.is_empty() {
            source.add(definitions(&args.crds)?);
        }
        Ok(source)
    }

    fn of_document(model: Model) -> Self {
        let described = larder_codegen::inspect::describe(&model);
        let mut source = Self {
            model,
            ..Self::default()
        };
        source.add(described);
        source
    }

    #[cfg(test)]
    pub(super) fn of_definitions(patterns: &[String]) -> anyhow::Result<Self> {
        let mut source = Self::default();
        source.add(definitions(patterns)?);
        Ok(source)
    }

    fn add(&mut self, found: CustomResources) {
        self.not_served.extend(found.not_served);
        self.model.types.extend(found.model.types);
        self.model.kinds.extend(found.model.kinds);
        self.declared.extend(found.selectable);
    }

    /// The versions of this kind that its definition says are not served.
    pub(super) fn not_served(&self, kind: &Kind) -> impl Iterator<Item = &KindId> {
        let (group, name) = (kind.id.group.clone(), kind.id.kind.clone());
        let not_served = self.not_served.iter();
        not_served.filter(move |id| id.group == group && id.kind == name)
    }

    /// The fields that the server selects by, and whether these are all.
    pub(super) fn selectable(&self, kind: &Kind) -> (Vec<SelectableField>, bool) {
        // An aggregated API has rules of its own.
        let complete = kind.origin != Origin::Aggregated;
        match self.declared.get(&kind.id) {
            Some(fields) => (fields.clone(), complete),
            None => (selectable_fields(kind), complete),
        }
    }
}

fn definitions(patterns: &[String]) -> anyhow::Result<CustomResources> {
    larder_codegen::inspect::read_crds(patterns.iter().map(String::as_str))
        .map_err(|errors| anyhow!("{errors}"))
}
