//! The documents of discovery as they are on the wire, in one lenient shape: which one it is, its `kind` says.

use serde::{Deserialize, Deserializer};

/// Plain JSON: the unaggregated documents.
pub(super) const PLAIN: &str = "application/json";

/// Aggregated documents (KEP-3352) where they are served, `v2` from 1.30 on and `v2beta1` from 1.27 on; else plain ones.
pub(super) const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
     application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// Any document of discovery.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document {
    pub(super) kind: String,
    /// Of an `APIResourceList`.
    pub(super) group_version: String,
    /// Of an `APIResourceList`.
    #[serde(deserialize_with = "nullable")]
    pub(super) resources: Vec<Resource>,
    /// Of an `APIVersions`.
    #[serde(deserialize_with = "nullable")]
    pub(super) versions: Vec<String>,
    /// Of an `APIGroupList`.
    #[serde(deserialize_with = "nullable")]
    pub(super) groups: Vec<Group>,
    /// Of an `APIGroupDiscoveryList`.
    #[serde(deserialize_with = "nullable")]
    pub(super) items: Vec<AggregatedGroup>,
}

/// A group of an `APIGroupList`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Group {
    pub(super) name: String,
    #[serde(deserialize_with = "nullable")]
    pub(super) versions: Vec<Version>,
}

/// A version of such a group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Version {
    pub(super) version: String,
}

/// A resource or subresource of an `APIResourceList`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Resource {
    pub(super) name: String,
    pub(super) singular_name: String,
    pub(super) namespaced: bool,
    pub(super) kind: String,
    #[serde(deserialize_with = "nullable")]
    pub(super) verbs: Vec<String>,
    #[serde(deserialize_with = "nullable")]
    pub(super) short_names: Vec<String>,
}

/// A group of an `APIGroupDiscoveryList`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AggregatedGroup {
    pub(super) metadata: Named,
    #[serde(deserialize_with = "nullable")]
    pub(super) versions: Vec<AggregatedVersion>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Named {
    pub(super) name: String,
}

/// A version of such a group.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AggregatedVersion {
    pub(super) version: String,
    /// `Stale` where the server could not ask who serves it.
    pub(super) freshness: String,
    #[serde(deserialize_with = "nullable")]
    pub(super) resources: Vec<AggregatedResource>,
}

/// A resource of such a version.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AggregatedResource {
    pub(super) resource: String,
    pub(super) response_kind: Option<ResponseKind>,
    pub(super) scope: String,
    pub(super) singular_resource: String,
    #[serde(deserialize_with = "nullable")]
    pub(super) verbs: Vec<String>,
    #[serde(deserialize_with = "nullable")]
    pub(super) short_names: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResponseKind {
    pub(super) kind: String,
}

/// Go writes an empty list as `null`.
fn nullable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
