//! A bare HTTP client for the service, and a reader of watch events.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, header::ACCEPT, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use larder_sim::{BodyError, ResponseBody, Sim};
use serde_json::{Value, json};
use std::time::Duration;
use tower::Service;

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// An answer that was read to its end.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn at(&self, pointer: &str) -> Value {
        self.json().pointer(pointer).cloned().unwrap_or_default()
    }

    /// `code reason: message` of a status.
    pub(crate) fn status(&self) -> String {
        let text = |pointer| self.at(pointer).as_str().unwrap_or_default().to_owned();
        format!("{} {}: {}", self.code, text("/reason"), text("/message"))
    }

    /// The names of a list's items.
    pub(crate) fn names(&self) -> Vec<String> {
        let items = self.at("/items");
        let names = items
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item.pointer("/metadata/name"));
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

pub(crate) async fn open(
    sim: &Sim,
    method: Method,
    uri: &str,
    headers: &[(http::HeaderName, &str)],
    body: Bytes,
) -> Result<http::Response<ResponseBody>, Failure> {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    Ok(sim.service().call(request.body(Full::new(body))?).await?)
}

async fn read(response: http::Response<ResponseBody>) -> Result<Answer, Failure> {
    let (parts, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(Answer {
        code: parts.status.as_u16(),
        headers: parts.headers,
        body,
    })
}

pub(crate) async fn get(sim: &Sim, uri: &str) -> Result<Answer, Failure> {
    read(open(sim, Method::GET, uri, &[], Bytes::new()).await?).await
}

pub(crate) async fn get_as(sim: &Sim, uri: &str, accept: &str) -> Result<Answer, Failure> {
    read(open(sim, Method::GET, uri, &[(ACCEPT, accept)], Bytes::new()).await?).await
}

pub(crate) async fn send(
    sim: &Sim,
    method: Method,
    uri: &str,
    body: &Value,
) -> Result<Answer, Failure> {
    send_as(sim, method, uri, "application/json", body).await
}

pub(crate) async fn send_as(
    sim: &Sim,
    method: Method,
    uri: &str,
    media: &str,
    body: &Value,
) -> Result<Answer, Failure> {
    let body = if body.is_null() {
        Bytes::new()
    } else {
        Bytes::from(body.to_string())
    };
    read(open(sim, method, uri, &[(CONTENT_TYPE, media)], body).await?).await
}

/// A watch that is read event by event.
pub(crate) struct Watch {
    body: ResponseBody,
    buffer: Vec<u8>,
}

/// What came next of a watch.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Event(Value),
    End,
    Cut,
    /// Nothing came for a long time.
    Silence,
    /// The stream ended within an event.
    Torn,
}

impl Watch {
    pub(crate) async fn open(sim: &Sim, uri: &str) -> Result<Self, Failure> {
        Self::open_as(sim, uri, "application/json").await
    }

    pub(crate) async fn open_as(sim: &Sim, uri: &str, accept: &str) -> Result<Self, Failure> {
        let response = open(sim, Method::GET, uri, &[(ACCEPT, accept)], Bytes::new()).await?;
        if response.status() != 200 {
            let answer = read(response).await?;
            return Err(answer.status().into());
        }
        Ok(Self {
            body: response.into_body(),
            buffer: Vec::new(),
        })
    }

    pub(crate) async fn next(&mut self) -> Next {
        self.next_within(Duration::from_secs(24 * 3600)).await
    }

    pub(crate) async fn next_within(&mut self, patience: Duration) -> Next {
        loop {
            if let Some(at) = self.buffer.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=at).collect();
                let event = serde_json::from_slice(&line);
                return Next::Event(
                    event.unwrap_or_else(|_| json!({"broken": String::from_utf8_lossy(&line)})),
                );
            }
            match tokio::time::timeout(patience, self.body.frame()).await {
                Err(_) => return Next::Silence,
                Ok(None) if self.buffer.is_empty() => return Next::End,
                Ok(None) => return Next::Torn,
                Ok(Some(Err(BodyError::Cut | _))) => return Next::Cut,
                Ok(Some(Ok(frame))) => self
                    .buffer
                    .extend_from_slice(frame.data_ref().map_or(&[][..], |data| data)),
            }
        }
    }

    /// `+name`, `~name`, `-name`, `=version`, `!code`, or what else came.
    pub(crate) async fn short(&mut self) -> String {
        short(self.next().await)
    }

    pub(crate) async fn shorts(&mut self, count: usize) -> Vec<String> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(self.short().await);
        }
        all
    }
}

pub(crate) fn short(next: Next) -> String {
    let Next::Event(event) = next else {
        return format!("{next:?}");
    };
    let text = |pointer: &str| {
        event
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let name = text("/object/metadata/name");
    match text("/type").as_str() {
        "ADDED" => format!("+{name}"),
        "MODIFIED" => format!("~{name}"),
        "DELETED" => format!("-{name}"),
        "BOOKMARK" => {
            let ends = event.pointer("/object/metadata/annotations").is_some();
            format!(
                "={}{}",
                text("/object/metadata/resourceVersion"),
                if ends { "!" } else { "" }
            )
        }
        "ERROR" => format!("!{}", event.pointer("/object/code").unwrap_or(&Value::Null)),
        _ => event.to_string(),
    }
}

pub(crate) fn pod(namespace: &str, name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": {"nodeName": "n1"}})
}

pub(crate) fn labelled(namespace: &str, name: &str, app: &str) -> Value {
    let mut pod = pod(namespace, name);
    pod["metadata"]["labels"] = json!({"app": app});
    pod
}
