//! Everything that is not about a resource: discovery, documents, `/version`, health.

use super::{
    accept,
    respond::{Refusal, json, json_bytes, plain},
};
use crate::{kind::Kind, server::Shared, stream::ResponseBody};
use bytes::Bytes;
use http::{HeaderValue, Response, header::CONTENT_TYPE, request::Parts};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

const AGGREGATED: HeaderValue = HeaderValue::from_static(
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
);

/// The OpenAPI documents that were given to the server.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    /// By path, such as `apis/apps/v1`.
    pub(crate) v3: BTreeMap<String, Bytes>,
    pub(crate) v2: Option<Bytes>,
}

pub(crate) fn answer(
    shared: &Arc<Shared>,
    parts: &Parts,
) -> Result<Response<ResponseBody>, Refusal> {
    let path = parts.uri.path().trim_end_matches('/');
    let aggregated =
        shared.settings().aggregated_discovery && accept::aggregated_discovery(&parts.headers);
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let kinds: Vec<Arc<Kind>> = shared
        .store()
        .kinds()
        .map(|(_, kind)| Arc::clone(kind))
        .collect();
    match segments.as_slice() {
        ["healthz" | "livez" | "readyz"] => Ok(plain(200, "ok")),
        ["version"] => Ok(json_bytes(200, version(shared).to_string())),
        ["api" | "apis"] if aggregated => Ok(aggregate(&kinds, path == "/api")),
        ["api"] => Ok(json_bytes(200, core_versions(&kinds).to_string())),
        ["apis"] => Ok(json_bytes(200, group_list(&kinds).to_string())),
        ["api", version] => resource_list(&kinds, "", version),
        ["apis", group] => one_group(&kinds, group),
        ["apis", group, version] => resource_list(&kinds, group, version),
        ["openapi", "v2"] => shared
            .documents()
            .v2
            .clone()
            .map(|bytes| json(200, ResponseBody::whole(bytes)))
            .ok_or(Refusal::UnknownPath),
        ["openapi", "v3"] => Ok(index(shared)),
        ["openapi", "v3", rest @ ..] => document(shared, &rest.join("/")),
        _ => Err(Refusal::UnknownPath),
    }
}

fn version(shared: &Arc<Shared>) -> Value {
    let (major, minor) = shared.settings().kubernetes_version;
    json!({
        "major": major.to_string(), "minor": minor.to_string(), "gitVersion": format!("v{major}.{minor}.0+sim"),
        "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "", "compiler": "rustc", "platform": "linux/amd64",
    })
}

fn core_versions(kinds: &[Arc<Kind>]) -> Value {
    let versions = versions_of(kinds, "");
    json!({"kind": "APIVersions", "versions": versions, "serverAddressByClientCIDRs": []})
}

/// Versions in the order in which they came: the first is the preferred one.
fn versions_of<'a>(kinds: &'a [Arc<Kind>], group: &str) -> Vec<&'a str> {
    let mut versions = Vec::new();
    for kind in kinds.iter().filter(|kind| kind.group == group) {
        if !versions.contains(&kind.version.as_str()) {
            versions.push(kind.version.as_str());
        }
    }
    versions
}

fn named_groups(kinds: &[Arc<Kind>]) -> BTreeSet<&str> {
    kinds
        .iter()
        .map(|kind| kind.group.as_str())
        .filter(|group| !group.is_empty())
        .collect()
}

fn group(kinds: &[Arc<Kind>], name: &str) -> Value {
    let versions: Vec<Value> = versions_of(kinds, name)
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    json!({"name": name, "preferredVersion": versions.first(), "versions": versions})
}

fn group_list(kinds: &[Arc<Kind>]) -> Value {
    let groups: Vec<Value> = named_groups(kinds)
        .into_iter()
        .map(|name| group(kinds, name))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn one_group(kinds: &[Arc<Kind>], name: &str) -> Result<Response<ResponseBody>, Refusal> {
    if !named_groups(kinds).contains(name) {
        return Err(Refusal::UnknownPath);
    }
    let mut body = group(kinds, name);
    if let Some(members) = body.as_object_mut() {
        members.insert("kind".to_owned(), Value::from("APIGroup"));
        members.insert("apiVersion".to_owned(), Value::from("v1"));
    }
    Ok(json_bytes(200, body.to_string()))
}

fn verbs(kind: &Kind) -> Vec<&'static str> {
    let all = [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ];
    all.into_iter()
        .filter(|&verb| kind.watchable || matches!(verb, "get" | "list"))
        .collect()
}

/// Adds what a resource may lack: short names and categories.
fn name_also(resource: &mut Value, kind: &Kind) {
    let Some(members) = resource.as_object_mut() else {
        return;
    };
    for (member, names) in [
        ("shortNames", &kind.short_names),
        ("categories", &kind.categories),
    ] {
        if !names.is_empty() {
            members.insert(member.to_owned(), json!(names));
        }
    }
}

fn resource_list(
    kinds: &[Arc<Kind>],
    group: &str,
    version: &str,
) -> Result<Response<ResponseBody>, Refusal> {
    let mut resources = Vec::new();
    for kind in kinds
        .iter()
        .filter(|kind| kind.group == group && kind.version == version)
    {
        let mut resource = json!({
            "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
            "kind": kind.kind, "verbs": verbs(kind),
        });
        name_also(&mut resource, kind);
        resources.push(resource);
        if kind.has_status {
            resources.push(json!({
                "name": format!("{}/status", kind.plural), "singularName": "", "namespaced": kind.namespaced,
                "kind": kind.kind, "verbs": ["get", "patch", "update"],
            }));
        }
    }
    if resources.is_empty() {
        return Err(Refusal::of_absent(group, kinds));
    }
    let group_version = if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    };
    let mut body = json!({
        "kind": "APIResourceList", "groupVersion": group_version, "resources": resources,
    });
    if let Some(members) = body.as_object_mut().filter(|_| !group.is_empty()) {
        members.insert("apiVersion".to_owned(), Value::from("v1"));
    }
    Ok(json_bytes(200, body.to_string()))
}

/// `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`.
fn aggregate(kinds: &[Arc<Kind>], core: bool) -> Response<ResponseBody> {
    let groups: Vec<&str> = if core {
        vec![""]
    } else {
        named_groups(kinds).into_iter().collect()
    };
    let items: Vec<Value> = groups
        .into_iter()
        .map(|name| aggregated_group(kinds, name))
        .collect();
    let body = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items,
    });
    let mut response = json_bytes(200, body.to_string());
    response.headers_mut().insert(CONTENT_TYPE, AGGREGATED);
    response
}

fn aggregated_group(kinds: &[Arc<Kind>], name: &str) -> Value {
    let versions: Vec<Value> = versions_of(kinds, name)
        .into_iter()
        .map(|version| {
            let resources: Vec<Value> = kinds
                .iter()
                .filter(|kind| kind.group == name && kind.version == version)
                .map(|kind| aggregated_resource(kind))
                .collect();
            json!({"version": version, "freshness": "Current", "resources": resources})
        })
        .collect();
    let metadata = if name.is_empty() {
        json!({})
    } else {
        json!({"name": name})
    };
    json!({"metadata": metadata, "versions": versions})
}

fn aggregated_resource(kind: &Kind) -> Value {
    // Built-in kinds leave it to the reader to know group and version from the place.
    let (group, version) = if kind.custom {
        (kind.group.as_str(), kind.version.as_str())
    } else {
        ("", "")
    };
    let response_kind = json!({"group": group, "version": version, "kind": kind.kind});
    let mut resource = json!({
        "resource": kind.plural, "responseKind": response_kind, "singularResource": kind.singular,
        "scope": if kind.namespaced { "Namespaced" } else { "Cluster" }, "verbs": verbs(kind),
    });
    name_also(&mut resource, kind);
    if let Some(members) = resource.as_object_mut().filter(|_| kind.has_status) {
        let status = json!([{
            "subresource": "status", "responseKind": response_kind, "verbs": ["get", "patch", "update"],
        }]);
        members.insert("subresources".to_owned(), status);
    }
    resource
}

/// The server does not say that its index is JSON.
fn index(shared: &Arc<Shared>) -> Response<ResponseBody> {
    let documents = shared.documents();
    let paths: serde_json::Map<String, Value> = documents
        .v3
        .keys()
        .map(|path| {
            (
                path.clone(),
                json!({"serverRelativeURL": format!("/openapi/v3/{path}")}),
            )
        })
        .collect();
    plain(200, json!({"paths": paths}).to_string())
}

fn document(shared: &Arc<Shared>, path: &str) -> Result<Response<ResponseBody>, Refusal> {
    let found = shared.documents().v3.get(path).cloned();
    found
        .map(|bytes| json(200, ResponseBody::whole(bytes)))
        .ok_or(Refusal::UnknownPath)
}
