//! Create, update, patch and delete.

use super::{
    handle::Target,
    list::one_object,
    params::ListParams,
    respond::{Refusal, json, json_bytes},
};
use crate::{
    selector::Selector,
    server::Shared,
    status::Status,
    store::{DeleteOptions, Deleted, PageQuery, Part, key_of},
    stream::{ListHead, ResponseBody, Shape, Wire, list_body},
};
use bytes::Bytes;
use http::{HeaderMap, Response, header::CONTENT_TYPE};
use serde_json::{Map, Value};
use std::sync::Arc;

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";

pub(crate) fn create(
    shared: &Arc<Shared>,
    target: &Target,
    headers: &HeaderMap,
    body: &Bytes,
    shape: Shape,
) -> Result<Response<ResponseBody>, Refusal> {
    expect_media_type(headers, JSON)?;
    let object = object_in(body)?;
    let stored = shared
        .write(|store| store.create(target.id, &target.path.namespace, object, Part::Main))?;
    Ok(json_bytes(201, one_object(&stored, shape, None)))
}

pub(crate) fn update(
    shared: &Arc<Shared>,
    target: &Target,
    headers: &HeaderMap,
    body: &Bytes,
    shape: Shape,
) -> Result<Response<ResponseBody>, Refusal> {
    expect_media_type(headers, JSON)?;
    let object = object_in(body)?;
    let (path, part) = (&target.path, part_of(target)?);
    let stored =
        shared.write(|store| store.update(target.id, &path.namespace, &path.name, object, part))?;
    Ok(json_bytes(200, one_object(&stored, shape, None)))
}

pub(crate) fn patch(
    shared: &Arc<Shared>,
    target: &Target,
    headers: &HeaderMap,
    body: &Bytes,
    shape: Shape,
) -> Result<Response<ResponseBody>, Refusal> {
    expect_media_type(headers, MERGE_PATCH)?;
    let patch = object_in(body)?;
    let part = part_of(target)?;
    let path = &target.path;
    let key = key_of(
        if target.kind.namespaced {
            &path.namespace
        } else {
            ""
        },
        &path.name,
    );
    let stored = shared.write(|store| store.patch(target.id, &key, &Value::Object(patch), part))?;
    Ok(json_bytes(200, one_object(&stored, shape, None)))
}

pub(crate) fn delete(
    shared: &Arc<Shared>,
    target: &Target,
    query: &str,
    body: &Bytes,
    shape: Shape,
) -> Result<Response<ResponseBody>, Refusal> {
    if !target.path.subresource.is_empty() {
        return Err(Status::no_such_resource().into());
    }
    let options = delete_options(query, body)?;
    let deleted = shared.delete(
        target.id,
        &target.path.namespace,
        &target.path.name,
        &options,
    )?;
    if deleted.gone && !target.kind.returns_deleted() {
        return Ok(json_bytes(200, success(target, &deleted)));
    }
    Ok(json_bytes(200, one_object(&deleted.object, shape, None)))
}

/// Deletes every object that a list with the same parameters would show.
pub(crate) fn delete_collection(
    shared: &Arc<Shared>,
    target: &Target,
    params: &ListParams,
    query: &str,
    body: &Bytes,
    shape: Shape,
) -> Result<Response<ResponseBody>, Refusal> {
    let options = delete_options(query, body)?;
    let selector = Selector::parse(&target.kind, &params.label_selector, &params.field_selector)?;
    let doomed = {
        let store = shared.store();
        let query = PageQuery {
            at: None,
            namespace: &target.path.namespace,
            from: None,
            selector: &selector,
            limit: params.limit,
        };
        store.table(target.id)?.page(query).objects
    };
    let mut objects = Vec::with_capacity(doomed.len());
    for object in doomed {
        match shared.delete(target.id, object.namespace(), object.name(), &options) {
            Ok(deleted) => objects.push(deleted.object),
            // Somebody else was faster.
            Err(status) if status.code == 404 => {}
            Err(status) => return Err(status.into()),
        }
    }
    let head = ListHead {
        version: shared.store().version(),
        continue_token: None,
        remaining: None,
    };
    let wire = Wire::new(shared.settings().chunk_size, shape, None);
    Ok(json(
        200,
        list_body(Arc::clone(&target.kind), head, objects, wire),
    ))
}

/// What the server says of an object that is gone.
fn success(target: &Target, deleted: &Deleted) -> Vec<u8> {
    let details = serde_json::json!({
        "name": deleted.object.name(),
        "group": target.path.group,
        "kind": target.path.plural,
        "uid": deleted.uid,
    });
    let mut details = details;
    if let Some(members) = details
        .as_object_mut()
        .filter(|_| target.path.group.is_empty())
    {
        members.remove("group");
    }
    format!(r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Success","details":{details}}}"#).into_bytes()
}

fn part_of(target: &Target) -> Result<Part, Status> {
    match target.path.subresource.as_str() {
        "" => Ok(Part::Main),
        "status" if target.kind.has_status => Ok(Part::Status),
        _ => Err(Status::no_such_resource()),
    }
}

fn expect_media_type(headers: &HeaderMap, expected: &str) -> Result<(), Status> {
    let given = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or(JSON);
    let media = given.split(';').next().unwrap_or_default().trim();
    if media == expected {
        Ok(())
    } else {
        Err(Status::unsupported_media_type(&[expected]))
    }
}

fn object_in(body: &Bytes) -> Result<Map<String, Value>, Status> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Status::bad_request(
            "the body of the request must be a JSON object",
        )),
        Err(error) => Err(Status::bad_request(format!(
            "the body of the request is not JSON: line {}, column {}",
            error.line(),
            error.column()
        ))),
    }
}

/// Options come in the body, or in the query if there is no body.
fn delete_options(query: &str, body: &Bytes) -> Result<DeleteOptions, Status> {
    if !body.is_empty() {
        let options: DeleteOptions = serde_json::from_slice(body).map_err(|error| {
            Status::bad_request(format!(
                "the body of the request is no DeleteOptions: line {}, column {}",
                error.line(),
                error.column()
            ))
        })?;
        if !options.dry_run.is_empty() {
            return Err(Status::bad_request(
                "the simulated server does not support dryRun",
            ));
        }
        return Ok(options);
    }
    let mut options = DeleteOptions::default();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name == "gracePeriodSeconds" {
            let seconds = value.parse().map_err(|_| {
                Status::bad_request(format!(
                    "strconv.ParseInt: parsing {value:?}: invalid syntax"
                ))
            })?;
            options.grace_period_seconds = Some(seconds);
        }
    }
    Ok(options)
}
