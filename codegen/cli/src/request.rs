//! One request, and what its refusals mean.
//!
//! What a server answers is shown to nobody but its own message: bodies of objects never come into an error.

use anyhow::{Context as _, anyhow, bail};
use kube::Client;
use kube::client::Body;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What is read of an error's message.
const LONGEST_MESSAGE: usize = 300;

/// What a server answers instead of what it was asked for.
pub(crate) struct Refusal {
    pub(crate) code: u16,
    pub(crate) message: String,
}

/// The bytes that a path is answered with; anything but success is an error.
pub(crate) async fn get(client: &Client, path: &str) -> anyhow::Result<Vec<u8>> {
    let answer = ask(client, path).await?;
    answer.map_err(|refusal| refused(path, refusal.code, &refusal.message))
}

/// The bytes that a path is answered with, or the refusal.
pub(crate) async fn ask(client: &Client, path: &str) -> anyhow::Result<Result<Vec<u8>, Refusal>> {
    let request = http::Request::get(path)
        .header(http::header::ACCEPT, "application/json")
        .body(Body::empty())
        .with_context(|| format!("{path:?} is no path"))?;
    let asked = || format!("GET {path}");
    let response = client
        .send(request)
        .await
        .map_err(|error| unreached(error, path))?;
    let status = response.status();
    let location = response.headers().get(http::header::LOCATION);
    let location = location.and_then(|to| to.to_str().ok()).map(str::to_owned);
    let body = response
        .into_body()
        .collect_bytes()
        .await
        .with_context(asked)?;
    if status.is_redirection() {
        let to = location.unwrap_or_else(|| "nowhere".to_owned());
        bail!("GET {path} was answered {status}, to {to}: {NO_API_SERVER}");
    }
    if !status.is_success() {
        return Ok(Err(Refusal {
            code: status.as_u16(),
            message: message(&body),
        }));
    }
    if is_page(&body) {
        bail!("GET {path} was answered with a web page instead of JSON: {NO_API_SERVER}");
    }
    Ok(Ok(body.into()))
}

/// As [`get`], for what is read at once; `what` says what it should be.
pub(crate) async fn get_json<T: DeserializeOwned>(
    client: &Client,
    path: &str,
    what: &str,
) -> anyhow::Result<T> {
    let bytes = get(client, path).await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        // What serde says may quote a value; where it stands does not.
        let (line, column) = (error.line(), error.column());
        anyhow!("{path} is no {what}: not as expected at line {line}, column {column}")
    })
}

const NO_API_SERVER: &str =
    "something else than an API server stands there, such as the login page of a proxy";

fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// A request that got no answer.
fn unreached(error: kube::Error, path: &str) -> anyhow::Error {
    let error = anyhow::Error::new(error);
    let refused = error.chain().any(|cause| {
        let cause = cause.downcast_ref::<std::io::Error>();
        cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::ConnectionRefused)
    });
    let hint = if refused {
        ": nothing listens there; is the cluster running, and the kubeconfig its own?"
    } else {
        ""
    };
    error.context(format!("GET {path} was not answered{hint}"))
}

/// A refusal as an error, with what can be done about it.
pub(crate) fn refused(path: &str, code: u16, message: &str) -> anyhow::Error {
    let hint = match code {
        401 => ": the credentials of the kubeconfig are not accepted",
        403 => ": the account lacks the right to read this; a cluster administrator has it",
        404 => ": the server does not serve it",
        _ => "",
    };
    let message = match message {
        "" => String::new(),
        message => format!(" ({message})"),
    };
    anyhow!("GET {path} was answered {code}{hint}{message}")
}

/// What an error's body says.
fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Status {
        message: String,
    }
    if is_page(body) {
        return "a web page, not an API server's answer".to_owned();
    }
    let text = match serde_json::from_slice::<Status>(body) {
        Ok(status) => status.message,
        // Whatever sent it, it may be an object.
        Err(_) if body.trim_ascii_start().starts_with(b"{") => String::new(),
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    let line = text.lines().next().unwrap_or_default();
    let shown = line.chars().filter(|c| !c.is_control());
    shown.take(LONGEST_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn of_an_errors_body_nothing_is_shown_but_a_message() {
        for (body, shown) in [
            (r#"{"kind": "Status", "message": "no\nmore"}"#, "no"),
            ("404 page not found\n", "404 page not found"),
            ("\u{1b}[31mred", "[31mred"),
            (
                r#" {"kind": "Secret", "data": {"password": "aHVudGVyMg=="}}"#,
                "",
            ),
            ("<html>", "a web page, not an API server's answer"),
            ("", ""),
        ] {
            assert_eq!(message(body.as_bytes()), shown, "{body}");
        }
        assert_eq!(message("x".repeat(1000).as_bytes()).len(), 300);
    }
}
