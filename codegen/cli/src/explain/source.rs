//! Where the kinds come from that are explained: a document, definitions of custom resources, or the cluster.

use std::collections::BTreeMap;

use anyhow::anyhow;
use larder_codegen::{
    CustomResources, Kind, KindId, Model, Origin, SelectableField, selectable_fields,
};

use super::find::find;
use crate::args::{Connection, Explain};
use crate::text::causes;
use crate::{cluster, crds, model};

/// Kinds, with what the server selects them by.
#[derive(Default)]
pub(super) struct Source {
    pub(super) model: Model,
    /// What definitions say of their kinds; a document says nothing.
    declared: BTreeMap<KindId, Vec<SelectableField>>,
    not_served: Vec<KindId>,
}

impl Source {
    pub(super) fn of(args: &Explain) -> anyhow::Result<Self> {
        if args.openapi.is_none() && args.crds.is_empty() {
            return Self::live(&args.connection, &args.kind);
        }
        let mut source = Self::default();
        if let Some(document) = &args.openapi {
            source.model = model::read(document)?;
        }
        if !args.crds.is_empty() {
            source.add(definitions(&args.crds)?);
        }
        Ok(source)
    }

    #[cfg(test)]
    pub(super) fn of_definitions(patterns: &[String]) -> anyhow::Result<Self> {
        let mut source = Self::default();
        source.add(definitions(patterns)?);
        Ok(source)
    }

    /// The cluster's documents, and the definition of the kind that is asked about, which says more than they do.
    fn live(connection: &Connection, wanted: &str) -> anyhow::Result<Self> {
        let mut source = Self {
            model: cluster::model(connection, &[])?,
            ..Self::default()
        };
        let kind = find(&source.model, wanted)?;
        if kind.origin != Origin::CustomResource {
            return Ok(source);
        }
        let name = format!("{}.{}", kind.plural, kind.id.group);
        match cluster::crd(connection, &name).and_then(|crd| read(&name, &crd)) {
            Ok(found) => source.add(found),
            Err(error) => {
                let causes = causes(&error);
                eprintln!("note: the definition {name} cannot be read: {causes}");
            }
        }
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
        match self.declared.get(&kind.id) {
            Some(fields) => (fields.clone(), true),
            None => (selectable_fields(kind), kind.origin == Origin::Kubernetes),
        }
    }
}

fn definitions(patterns: &[String]) -> anyhow::Result<CustomResources> {
    larder_codegen::read_crds(patterns.iter().map(String::as_str))
        .map_err(|errors| anyhow!("{errors}"))
}

fn read(name: &str, crd: &serde_json::Value) -> anyhow::Result<CustomResources> {
    let text = crds::declared(crd).to_string();
    larder_codegen::read_crd_texts([(format!("{name}.json").into(), text)])
        .map_err(|errors| anyhow!("{errors}"))
}
