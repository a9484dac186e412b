//! Create, update, patch and delete.

use super::{
    accept::Form,
    handle::Target,
    list::one_object,
    params::ListParams,
    read::{delete_options, is_dry_run, patch_in, sent_object},
    respond::{Refusal, json, json_bytes},
};
use crate::{
    selector::Selector,
    server::Shared,
    status::Status,
    store::{Deleted, PageQuery, Part, key_of},
    stream::{ListHead, ResponseBody, Wire, list_body},
};
use bytes::Bytes;
use http::{HeaderMap, Response};
use std::sync::Arc;

/// What a request to write carries.
pub(crate) struct Sent<'a> {
    pub(crate) headers: &'a HeaderMap,
    pub(crate) query: &'a str,
    pub(crate) body: &'a Bytes,
    pub(crate) form: Form,
}

pub(crate) fn create(
    shared: &Arc<Shared>,
    target: &Target,
    sent: &Sent<'_>,
) -> Result<Response<ResponseBody>, Refusal> {
    let object = sent_object(target, sent)?;
    let is_dry = is_dry_run(sent.query, "CreateOptions")?;
    let stored = shared.write_if(!is_dry, |store| {
        store.create(target.id, &target.path.namespace, object, Part::Main)
    })?;
    let shape = sent.form.of_object(&target.kind)?;
    Ok(json_bytes(201, one_object(&stored, shape, None)))
}

pub(crate) fn update(
    shared: &Arc<Shared>,
    target: &Target,
    sent: &Sent<'_>,
) -> Result<Response<ResponseBody>, Refusal> {
    let object = sent_object(target, sent)?;
    let is_dry = is_dry_run(sent.query, "UpdateOptions")?;
    let (path, part) = (&target.path, part_of(target)?);
    let stored = shared.write_if(!is_dry, |store| {
        store.update(target.id, &path.namespace, &path.name, object, part)
    })?;
    let shape = sent.form.of_object(&target.kind)?;
    Ok(json_bytes(200, one_object(&stored, shape, None)))
}

pub(crate) fn patch(
    shared: &Arc<Shared>,
    target: &Target,
    sent: &Sent<'_>,
) -> Result<Response<ResponseBody>, Refusal> {
    let patch = patch_in(&target.kind, sent.headers, sent.body)?;
    let is_dry = is_dry_run(sent.query, "PatchOptions")?;
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
    let stored = shared.write_if(!is_dry, |store| store.patch(target.id, &key, &patch, part))?;
    let shape = sent.form.of_object(&target.kind)?;
    Ok(json_bytes(200, one_object(&stored, shape, None)))
}

pub(crate) fn delete(
    shared: &Arc<Shared>,
    target: &Target,
    sent: &Sent<'_>,
) -> Result<Response<ResponseBody>, Refusal> {
    if !target.path.subresource.is_empty() {
        return Err(Status::no_such_resource().into());
    }
    let (options, is_dry) = delete_options(sent.query, sent.body)?;
    let path = &target.path;
    let deleted = shared.delete(target.id, &path.namespace, &path.name, &options, is_dry)?;
    if deleted.gone && !target.kind.returns_deleted() {
        return Ok(json_bytes(200, success(target, &deleted)));
    }
    let shape = sent.form.of_object(&target.kind)?;
    Ok(json_bytes(200, one_object(&deleted.object, shape, None)))
}

/// Deletes every object that a list with the same parameters would show, and answers that list.
pub(crate) fn delete_collection(
    shared: &Arc<Shared>,
    target: &Target,
    params: &ListParams,
    sent: &Sent<'_>,
) -> Result<Response<ResponseBody>, Refusal> {
    let (options, is_dry) = delete_options(sent.query, sent.body)?;
    let selector = Selector::parse(&target.kind, &params.label_selector, &params.field_selector)?;
    let (doomed, version) = {
        let store = shared.store();
        let query = PageQuery {
            at: None,
            namespace: &target.path.namespace,
            from: None,
            selector: &selector,
            limit: params.limit,
        };
        (store.table(target.id)?.page(query).objects, store.version())
    };
    for object in &doomed {
        let (namespace, name) = (object.namespace(), object.name());
        match shared.delete(target.id, namespace, name, &options, is_dry) {
            // 404: somebody else was faster.
            Err(status) if status.code != 404 => return Err(status.into()),
            _ => {}
        }
    }
    let head = ListHead {
        version,
        continue_token: None,
        remaining: None,
    };
    let shape = sent.form.of_list(&target.kind)?;
    let wire = Wire::new(shared.settings().chunk_size, shape, None);
    Ok(json(
        200,
        list_body(Arc::clone(&target.kind), head, doomed, wire),
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
