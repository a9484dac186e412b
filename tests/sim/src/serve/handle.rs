//! The way of one request.

use super::{
    accept, discovery, list,
    params::ListParams,
    respond::{Refusal, plain, retry_after_header, status_response},
    route::ResourcePath,
    watch,
    write::{self, Sent},
};
use crate::{
    fault::{Decision, PlainText},
    kind::Kind,
    requests::Request as Logged,
    server::Shared,
    status::Status,
    store::KindId,
    stream::{ResponseBody, StreamPlan},
};
use bytes::Bytes;
use http::{Method, Response, header::ACCEPT, request::Parts};
use http_body::Body;
use http_body_util::BodyExt;
use std::sync::Arc;
use tokio::time::Instant;

/// The most that a request body may hold, as on the real server.
const LONGEST_BODY: usize = 3 * 1024 * 1024;

/// What a request asks of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// Read one object.
    Get,
    /// Read a collection.
    List,
    /// Follow a collection, or one object.
    Watch,
    /// `POST`.
    Create,
    /// `PUT`.
    Update,
    /// `PATCH`.
    Patch,
    /// `DELETE` of one object.
    Delete,
    /// `DELETE` of a collection.
    DeleteCollection,
    /// Anything that is not about a resource: discovery, documents, `/version`.
    Other,
}

impl Verb {
    /// The word that RBAC has for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Other => "other",
        }
    }
}

/// The connection broke before there was a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection refused")]
pub struct ConnectionRefused;

/// A resource that is served, and the place in it that a request is about.
pub(crate) struct Target {
    pub(crate) id: KindId,
    pub(crate) kind: Arc<Kind>,
    pub(crate) path: ResourcePath,
}

/// Answers a request, or breaks the connection if a fault says so.
pub(crate) async fn answer<B>(
    shared: Arc<Shared>,
    request: http::Request<B>,
) -> Result<Response<ResponseBody>, ConnectionRefused>
where
    B: Body,
{
    let (parts, body) = request.into_parts();
    let path = ResourcePath::parse(parts.uri.path());
    let query = parts.uri.query().unwrap_or_default();
    let params = ListParams::parse(query);
    let asks_to_watch = params.as_ref().is_ok_and(|params| params.watch);
    // A single object is watched by the old path only; the parameter makes it no watch.
    let watches = path
        .as_ref()
        .is_some_and(|path| path.watch || (asks_to_watch && path.name.is_empty()));
    let verb = path
        .as_ref()
        .map_or(Verb::Other, |path| verb_of(&parts.method, path, watches));
    let request = logged(&parts, path.as_ref(), verb);
    shared.requests().push(request.clone());

    let plan = match interfere(&shared, &request).await? {
        Interference::Answer(response) => return Ok(response),
        Interference::Stream(plan) => plan,
    };
    let result = match path {
        None => discovery::answer(&shared, &parts),
        Some(path) => {
            let asked = Asked { verb, params, plan };
            serve_resource(&shared, &parts, path, asked, body).await
        }
    };
    Ok(result.unwrap_or_else(|refusal| refusal.response()))
}

/// What is asked for, apart from where.
struct Asked {
    verb: Verb,
    params: Result<ListParams, Status>,
    plan: Option<Box<StreamPlan>>,
}

enum Interference {
    Answer(Response<ResponseBody>),
    Stream(Option<Box<StreamPlan>>),
}

/// Lets the faults have their way with a request before it is served.
async fn interfere(
    shared: &Arc<Shared>,
    request: &Logged,
) -> Result<Interference, ConnectionRefused> {
    let Decision {
        delay,
        refuse,
        silent,
        status,
        plain_text,
        plan,
    } = shared.faults().decide(request, &shared.settings().user);
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
    if refuse {
        return Err(ConnectionRefused);
    }
    if silent {
        // Nobody but the test ends this.
        drop(shared.disconnections().changed().await);
        return Err(ConnectionRefused);
    }
    if let Some(PlainText {
        code,
        text,
        retry_after,
    }) = plain_text
    {
        let response = retry_after_header(plain(code, text), retry_after);
        return Ok(Interference::Answer(response));
    }
    if let Some(status) = status {
        return Ok(Interference::Answer(status_response(&status)));
    }
    Ok(Interference::Stream(plan))
}

fn verb_of(method: &Method, path: &ResourcePath, watches: bool) -> Verb {
    let on_object = !path.name.is_empty();
    match *method {
        Method::GET | Method::HEAD if watches => Verb::Watch,
        Method::GET | Method::HEAD if on_object => Verb::Get,
        Method::GET | Method::HEAD => Verb::List,
        Method::POST => Verb::Create,
        Method::PUT => Verb::Update,
        Method::PATCH => Verb::Patch,
        Method::DELETE if on_object => Verb::Delete,
        Method::DELETE => Verb::DeleteCollection,
        _ => Verb::Other,
    }
}

fn logged(parts: &Parts, path: Option<&ResourcePath>, verb: Verb) -> Logged {
    let resource = path.map(|path| {
        if path.group.is_empty() {
            path.plural.clone()
        } else {
            format!("{}.{}", path.plural, path.group)
        }
    });
    let accept = parts
        .headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok());
    Logged {
        at: Instant::now(),
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        verb,
        resource: resource.unwrap_or_default(),
        namespace: path.map(|path| path.namespace.clone()).unwrap_or_default(),
        name: path.map(|path| path.name.clone()).unwrap_or_default(),
        accept: accept.unwrap_or_default().to_owned(),
    }
}

async fn serve_resource<B: Body>(
    shared: &Arc<Shared>,
    parts: &Parts,
    path: ResourcePath,
    asked: Asked,
    body: B,
) -> Result<Response<ResponseBody>, Refusal> {
    let target = find(shared, path)?;
    let form = accept::form(&parts.headers)?;
    let Asked { verb, params, plan } = asked;
    if matches!(verb, Verb::Get | Verb::List | Verb::Watch) {
        let params = checked(shared, params?, &target)?;
        return match verb {
            Verb::Watch => watch::watch(shared, &target, &params, form, plan).await,
            Verb::List => list::list(shared, &target, &params, form, plan).await,
            _ => list::get(shared, &target, &params, form, plan).await,
        };
    }
    let body = read(body).await?;
    let sent = Sent {
        headers: &parts.headers,
        query: parts.uri.query().unwrap_or_default(),
        body: &body,
        form,
    };
    let on_object = !target.path.name.is_empty();
    match verb {
        Verb::Create if !on_object => write::create(shared, &target, &sent),
        Verb::Update if on_object => write::update(shared, &target, &sent),
        Verb::Patch if on_object => write::patch(shared, &target, &sent),
        Verb::Delete => write::delete(shared, &target, &sent),
        Verb::DeleteCollection => write::delete_collection(shared, &target, &params?, &sent),
        _ => Err(Status::method_not_allowed().into()),
    }
}

/// The resource of a path, if it is served.
fn find(shared: &Arc<Shared>, path: ResourcePath) -> Result<Target, Refusal> {
    let store = shared.store();
    let Some((id, kind)) = store.find(&path.group, &path.version, &path.plural) else {
        let mut kinds = store.kinds().map(|(_, kind)| kind);
        return Err(Refusal::of_absent(&path.group, &mut kinds));
    };
    let fits_scope = kind.namespaced || path.namespace.is_empty();
    let lacks_namespace = kind.namespaced && path.namespace.is_empty() && !path.name.is_empty();
    let has_subresource =
        path.subresource.is_empty() || (path.subresource == "status" && kind.has_status);
    if !fits_scope || lacks_namespace || !has_subresource {
        return Err(Status::no_such_resource().into());
    }
    Ok(Target { id, kind, path })
}

fn checked(
    shared: &Arc<Shared>,
    mut params: ListParams,
    target: &Target,
) -> Result<ListParams, Status> {
    let on_object = !target.path.name.is_empty();
    params.watch = target.path.watch || (params.watch && !on_object);
    if params.watch || !on_object {
        params.validate(shared.settings().watch_lists)?;
    }
    Ok(params)
}

async fn read<B: Body>(body: B) -> Result<Bytes, Status> {
    let mut body = std::pin::pin!(body);
    let mut bytes = bytes::BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Status::bad_request("the body of the request ended early"));
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes::BufMut::put(&mut bytes, data);
        if bytes.len() > LONGEST_BODY {
            let message = "Request entity too large: limit is 3145728";
            return Err(Status::new(413, "RequestEntityTooLarge", message));
        }
    }
    Ok(bytes.freeze())
}
