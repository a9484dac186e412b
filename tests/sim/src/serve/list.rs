//! Get and list.

use super::{
    accept::Form,
    handle::Target,
    params::{ListParams, VersionMatch},
    respond::{Refusal, json, json_bytes},
};
use crate::{
    bell::Closed,
    object::Stored,
    selector::Selector,
    server::Shared,
    status::Status,
    store::{Page, PageQuery, Store, key_of},
    stream::{ListHead, ResponseBody, Shape, StreamPlan, Wire, list_body},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::Response;
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

/// How long the server waits for a version that it has not seen yet.
pub(crate) const FRESHNESS_WAIT: Duration = Duration::from_secs(3);
/// When it tells the client to try again after that.
pub(crate) const FRESHNESS_RETRY_SECONDS: u32 = 1;

const TOO_OLD_LIST: &str = "The resourceVersion for the provided list is too old.";
const TOO_OLD_TOKEN: &str = "The provided continue parameter is too old to display a consistent list result. You can start \
     a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of \
     the results. Continuing with the provided token results in an inconsistent list - objects that were created, \
     modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// The content of a continue token, as the real server encodes it.
#[derive(Serialize, Deserialize)]
struct Token {
    v: String,
    rv: i64,
    start: String,
}

/// Where a list starts and at which version.
struct Place {
    /// The version to read at; now, if absent.
    at: Option<u64>,
    from: Option<String>,
    is_continued: bool,
}

pub(crate) async fn get(
    shared: &Arc<Shared>,
    target: &Target,
    params: &ListParams,
    form: Form,
    plan: Option<Box<StreamPlan>>,
) -> Result<Response<ResponseBody>, Refusal> {
    let wanted = params
        .version()
        .map_err(|why| Status::bad_request(format!("invalid resource version: {why}")))?;
    wait_for_version(shared, wanted).await?;
    let path = &target.path;
    let key = key_of(
        if target.kind.namespaced {
            &path.namespace
        } else {
            ""
        },
        &path.name,
    );
    let found = shared.store().get(target.id, &key)?;
    let object = found.ok_or_else(|| Status::not_found(&path.group, &path.plural, &path.name))?;
    let shape = form.of_object(&target.kind)?;
    Ok(json_bytes(200, one_object(&object, shape, plan)))
}

/// One object as the answer to a request, damaged if the plan says so.
pub(crate) fn one_object(
    object: &Arc<Stored>,
    shape: Shape,
    plan: Option<Box<StreamPlan>>,
) -> Bytes {
    if shape == Shape::Full && plan.is_none() {
        return object.json().clone();
    }
    let mut wire = Wire::new(usize::MAX, shape, plan.map(StreamPlan::for_list));
    wire.whole(object);
    wire.take().unwrap_or_default()
}

pub(crate) async fn list(
    shared: &Arc<Shared>,
    target: &Target,
    params: &ListParams,
    form: Form,
    plan: Option<Box<StreamPlan>>,
) -> Result<Response<ResponseBody>, Refusal> {
    let selector = Selector::parse(&target.kind, &params.label_selector, &params.field_selector)?;
    let place = place(params)?;
    let wanted = place.at.unwrap_or(params.version().unwrap_or(0));
    wait_for_version(shared, wanted).await?;

    let (head, objects) = {
        let store = shared.store();
        let page = read_page(
            &store,
            target,
            params,
            &selector,
            &place,
            shared.settings().watch_cache,
        )?;
        let version = place.at.unwrap_or(store.version());
        let continue_token = page
            .more_after
            .as_ref()
            .map(|last| next_token(target, last, version));
        (
            ListHead {
                version,
                continue_token,
                remaining: page.remaining,
            },
            page.objects,
        )
    };
    let plan = plan.map(StreamPlan::for_list);
    let shape = form.of_list(&target.kind)?;
    let wire = Wire::new(shared.settings().chunk_size, shape, plan);
    Ok(json(
        200,
        list_body(Arc::clone(&target.kind), head, objects, wire),
    ))
}

fn read_page(
    store: &Store,
    target: &Target,
    params: &ListParams,
    selector: &Selector,
    place: &Place,
    watch_cache: bool,
) -> Result<Page, Status> {
    let table = store.table(target.id)?;
    if place.at.is_some_and(|at| at < store.oldest(table)) {
        let mut status = Status::expired(if place.is_continued {
            TOO_OLD_TOKEN
        } else {
            TOO_OLD_LIST
        });
        let from = place.from.as_ref().filter(|_| place.is_continued);
        status.continue_token = from.map(|from| encode_token(-1, relative(target, from)));
        return Err(status);
    }
    // A watch cache answers a list "at any version" as a whole.
    let is_unlimited = watch_cache && params.resource_version == "0";
    let from = place.from.as_deref().map(|from| absolute(target, from));
    Ok(table.page(PageQuery {
        at: place.at,
        namespace: &target.path.namespace,
        from: from.as_deref(),
        selector,
        limit: if is_unlimited { 0 } else { params.limit },
    }))
}

/// Decides the version and the start of a list. Source: `ShouldDelegateList` and `ValidateListOptions` of apiserver
/// 1.37, and the API concepts page.
fn place(params: &ListParams) -> Result<Place, Status> {
    let version = params
        .version()
        .map_err(|why| Status::bad_request(format!("invalid resource version: {why}")))?;
    if !params.continue_token.is_empty() {
        let token = decode_token(&params.continue_token)?;
        if version > 0 {
            return Err(Status::bad_request(
                "specifying resource version is not allowed when using continue",
            ));
        }
        let at = u64::try_from(token.rv).ok();
        return Ok(Place {
            at,
            from: Some(token.start),
            is_continued: true,
        });
    }
    let is_exact = match params.version_match {
        VersionMatch::Exact => true,
        // A limit with a version has always meant exactly that version.
        VersionMatch::Unset => params.limit > 0 && version > 0,
        VersionMatch::NotOlderThan | VersionMatch::Unknown(_) => false,
    };
    Ok(Place {
        at: is_exact.then_some(version),
        from: None,
        is_continued: false,
    })
}

/// Waits until the server has reached a version; for some seconds behind a watch cache, else not at all.
pub(crate) async fn wait_for_version(shared: &Arc<Shared>, wanted: u64) -> Result<(), Status> {
    let has_cache = shared.settings().watch_cache;
    let (patience, retry) = if has_cache {
        (FRESHNESS_WAIT, FRESHNESS_RETRY_SECONDS)
    } else {
        (Duration::ZERO, 0)
    };
    if wanted <= shared.store().version() {
        return Ok(());
    }
    let mut versions = shared.versions();
    let reached = async {
        while versions.hear() < wanted {
            versions.changed().await?;
        }
        Ok::<_, Closed>(())
    };
    if let Ok(Ok(())) = tokio::time::timeout(patience, reached).await {
        return Ok(());
    }
    Err(Status::version_too_large(
        wanted,
        shared.store().version(),
        retry,
    ))
}

fn next_token(target: &Target, last: &str, version: u64) -> String {
    // The smallest key after the last one.
    let start = format!("{}\0", relative(target, last));
    encode_token(i64::try_from(version).unwrap_or(i64::MAX), &start)
}

fn encode_token(version: i64, start: &str) -> String {
    let token = Token {
        v: "meta.k8s.io/v1".to_owned(),
        rv: version,
        start: start.to_owned(),
    };
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&token).unwrap_or_default())
}

fn decode_token(text: &str) -> Result<Token, Status> {
    let refuse = |why: &str| {
        Status::bad_request(format!(
            "invalid continue token: continue key is not valid{why}"
        ))
    };
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| refuse(""))?;
    let token: Token = serde_json::from_slice(&bytes).map_err(|_| refuse(""))?;
    if token.v != "meta.k8s.io/v1" {
        return Err(refuse(": server does not recognize this encoded version"));
    }
    if token.rv == 0 {
        return Err(refuse(
            ": incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ));
    }
    if token.start.is_empty() {
        return Err(refuse(": encoded start key empty (version meta.k8s.io/v1)"));
    }
    Ok(token)
}

/// A key without the namespace that the request names anyway.
fn relative<'a>(target: &Target, key: &'a str) -> &'a str {
    let namespace = &target.path.namespace;
    let inside = key
        .strip_prefix(namespace.as_str())
        .and_then(|key| key.strip_prefix('/'));
    if namespace.is_empty() {
        key
    } else {
        inside.unwrap_or(key)
    }
}

fn absolute(target: &Target, start: &str) -> String {
    let namespace = &target.path.namespace;
    if namespace.is_empty() {
        start.to_owned()
    } else {
        format!("{namespace}/{start}")
    }
}
