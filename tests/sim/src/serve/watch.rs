//! Starting a watch.

use super::{
    accept::Form,
    handle::Target,
    list::wait_for_version,
    params::ListParams,
    respond::{Refusal, json},
};
use crate::{
    selector::Selector,
    server::Shared,
    status::Status,
    store::{PageQuery, Store},
    stream::{InitialEvents, ResponseBody, Shape, StreamPlan, WatchStart, Wire, watch_body},
};
use http::Response;
use std::sync::Arc;

pub(crate) async fn watch(
    shared: &Arc<Shared>,
    target: &Target,
    params: &ListParams,
    form: Form,
    plan: Option<Box<StreamPlan>>,
) -> Result<Response<ResponseBody>, Refusal> {
    if !target.kind.watchable {
        return Err(
            Status::method_not_supported(&target.path.group, &target.path.plural, "watch").into(),
        );
    }
    let selector = selector(target, params)?;
    let version = params.version().map_err(|why| Status::new(500, "", why))?;
    let wants_state = params.send_initial_events.unwrap_or(version == 0);
    if wants_state && let Err(status) = wait_for_version(shared, version).await {
        return Ok(failed(&status));
    }
    let wire = Wire::new(shared.settings().chunk_size, form.of_events(), plan);
    let mut store = shared.store();
    let start = match start(
        shared,
        &store,
        target,
        params,
        selector,
        version,
        wants_state,
    ) {
        Ok(start) => start,
        Err(status) => return Ok(failed(&status)),
    };
    let body = watch_body(shared, &mut store, start, wire)?;
    Ok(json(200, body))
}

fn selector(target: &Target, params: &ListParams) -> Result<Selector, Status> {
    let mut fields = params.field_selector.clone();
    if !target.path.name.is_empty() {
        let name = format!("metadata.name={}", target.path.name);
        fields = if fields.is_empty() {
            name
        } else {
            format!("{fields},{name}")
        };
    }
    Selector::parse(&target.kind, &params.label_selector, &fields)
}

fn start(
    shared: &Arc<Shared>,
    store: &Store,
    target: &Target,
    params: &ListParams,
    selector: Selector,
    version: u64,
    wants_state: bool,
) -> Result<WatchStart, Status> {
    let table = store.table(target.id)?;
    let now = store.version();
    let settings = shared.settings();
    let initial = wants_state.then(|| {
        let page = table.page(PageQuery {
            at: None,
            namespace: &target.path.namespace,
            from: None,
            selector: &selector,
            limit: 0,
        });
        // Where streaming lists are served, a watch that begins with the state is one, asked for or not.
        let is_streaming = params.send_initial_events == Some(true) || settings.watch_lists;
        let mark_end = is_streaming && params.allow_bookmarks;
        InitialEvents {
            objects: page.objects,
            mark_end,
        }
    });
    let after = if wants_state || version == 0 {
        now
    } else {
        version
    };
    let oldest = store.oldest(table);
    if after < oldest {
        return Err(if settings.watch_cache {
            Status::too_old_version(after, oldest)
        } else {
            Status::expired("The resourceVersion for the provided watch is too old.")
        });
    }
    Ok(WatchStart {
        id: target.id,
        kind: Arc::clone(&target.kind),
        namespace: target.path.namespace.clone(),
        selector,
        after,
        initial,
        // Without a watch cache nobody makes bookmarks, except the one that ends the initial events.
        bookmarks: params.allow_bookmarks && settings.watch_cache,
        timeout: params.timeout.unwrap_or(settings.watch_timeout),
    })
}

/// Once a watch got past its checks, the server reports errors inside of it.
fn failed(status: &Status) -> Response<ResponseBody> {
    let mut wire = Wire::new(usize::MAX, Shape::Full, None);
    wire.error(status);
    json(200, ResponseBody::whole(wire.take().unwrap_or_default()))
}
