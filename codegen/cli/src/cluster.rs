//! The conversation with a cluster: which one, under one deadline, and what its refusals mean.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Status;
use kube::{Client, Config};
use larder_codegen::Model;
use larder_naming::BuiltInGroup;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

use crate::args::Connection;
use crate::text::plural;

/// Documents that are fetched at once. A server makes each on demand.
const AT_ONCE: usize = 8;
/// Definitions are up to a megabyte each.
const PAGE: usize = 50;
const QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Runs `talk` with the cluster that the connection names, until the deadline.
fn talk<T>(
    connection: &Connection,
    talk: impl AsyncFnOnce(&Client) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting the asynchronous runtime")?;
    runtime.block_on(async {
        let config = config(connection).await?;
        let server = config.cluster_url.to_string();
        let client = Client::try_from(config).context("making a client of the kubeconfig")?;
        match tokio::time::timeout(connection.timeout, talk(&client)).await {
            Ok(answer) => answer.with_context(|| format!("asking {server}")),
            Err(_) => Err(no_answer(&server, connection.timeout)),
        }
    })
}

fn no_answer(server: &str, timeout: Duration) -> anyhow::Error {
    anyhow!(
        "{server} has not answered within {}: try a longer `--timeout`",
        plural(timeout.as_secs() as usize, "second")
    )
}

async fn config(connection: &Connection) -> anyhow::Result<Config> {
    let options = KubeConfigOptions {
        context: connection.context.clone(),
        ..KubeConfigOptions::default()
    };
    let mut config = match &connection.kubeconfig {
        Some(file) => {
            let kubeconfig = Kubeconfig::read_from(file)
                .with_context(|| format!("reading the kubeconfig {}", file.display()))?;
            Config::from_custom_kubeconfig(kubeconfig, &options).await
        }
        None if connection.context.is_some() => Config::from_kubeconfig(&options).await,
        None => {
            let inferred = Config::infer().await;
            return inferred.map(without_retries).context(
                "no cluster is configured: set KUBECONFIG, or name a file with `--kubeconfig`",
            );
        }
    }
    .context("reading the kubeconfig")?;
    config = without_retries(config);
    Ok(config)
}

/// A person waits: the first refusal is to be seen.
fn without_retries(mut config: Config) -> Config {
    config.default_retry = false;
    config
}

async fn get(client: &Client, path: &str) -> anyhow::Result<Vec<u8>> {
    let answer = ask(client, path).await?;
    answer.map_err(|status| refused(path, status.code, &status.message))
}

/// The answer, or the refusal.
async fn ask(client: &Client, path: &str) -> anyhow::Result<Result<Vec<u8>, Box<Status>>> {
    let request = http::Request::get(path)
        .header(http::header::ACCEPT, "application/json")
        .body(Vec::new())
        .with_context(|| format!("{path:?} is no path"))?;
    match client.request_text(request).await {
        Ok(text) => Ok(Ok(text.into_bytes())),
        Err(kube::Error::Api(status)) => Ok(Err(status)),
        Err(error) => Err(error).with_context(|| format!("GET {path}")),
    }
}

fn refused(path: &str, code: u16, message: &str) -> anyhow::Error {
    let hint = match code {
        401 => ": the credentials of the kubeconfig are not accepted",
        403 => ": the account lacks the right to `get` this; a cluster administrator has it",
        404 => ": the server does not serve it",
        _ => "",
    };
    let message = if message.is_empty() { "" } else { message };
    anyhow!("GET {path} was answered {code}{hint} ({message})")
}

/// The index of `/openapi/v3`.
#[derive(Deserialize)]
struct Index {
    paths: BTreeMap<String, Located>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Located {
    #[serde(rename = "serverRelativeURL")]
    server_relative_url: String,
}

/// The group of a path in the index: `""` for `api/v1`. Discovery and the like have none.
fn group(path: &str) -> Option<&str> {
    match path.split('/').collect::<Vec<_>>()[..] {
        ["api", _] => Some(""),
        ["apis", group, _] => Some(group),
        _ => None,
    }
}

/// The word for a group on the command line: the core group has a name there.
fn spoken(group: &str) -> &str {
    if group.is_empty() { "core" } else { group }
}

/// What the cluster serves, or what it serves of these groups.
pub(crate) fn model(connection: &Connection, groups: &[String]) -> anyhow::Result<Model> {
    let documents = talk(connection, async |client| documents(client, groups).await)?;
    larder_codegen::read_parts(documents)
        .map_err(|errors| anyhow!("the server's documents cannot be read:\n{errors}"))
}

async fn documents(client: &Client, groups: &[String]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let index = get(client, "/openapi/v3").await?;
    let index: Index = serde_json::from_slice(&index)
        .map_err(|error| anyhow!("/openapi/v3 is no index of OpenAPI v3: {error}"))?;
    let served: Vec<(&str, &String, &Located)> = index
        .paths
        .iter()
        .filter_map(|(path, located)| Some((group(path)?, path, located)))
        .collect();
    for wanted in groups {
        if !served.iter().any(|(group, ..)| spoken(group) == wanted) {
            let known = served.iter().map(|(group, ..)| spoken(group));
            bail!(
                "the server has no group {wanted:?}{}",
                crate::text::did_you_mean(wanted, known)
            );
        }
    }
    let wanted = served.into_iter().filter(|(group, ..)| {
        groups.is_empty() || groups.iter().any(|wanted| wanted == spoken(group))
    });
    let wanted: Vec<_> = wanted.collect();
    let fetches = wanted.iter().map(|(_, path, located)| async move {
        let document = get(client, &located.server_relative_url).await?;
        Ok::<_, anyhow::Error>(((*path).clone(), document))
    });
    // Of aggregated APIs no document says whether they can be watched.
    let foreign = wanted
        .iter()
        .filter(|(group, ..)| BuiltInGroup::find(group).is_none());
    let discoveries = foreign.map(|(_, path, _)| discovery(client, path));
    let documents = stream::iter(fetches).buffered(AT_ONCE);
    let mut documents: Vec<_> = documents.try_collect().await?;
    let discovered = stream::iter(discoveries).buffered(AT_ONCE);
    let discovered: Vec<Option<_>> = discovered.try_collect().await?;
    documents.extend(discovered.into_iter().flatten());
    Ok(documents)
}

/// What the server says of the kinds of a group and version; `None` if they have gone in the meantime.
async fn discovery(client: &Client, path: &str) -> anyhow::Result<Option<(String, Vec<u8>)>> {
    let path = format!("/{path}");
    match ask(client, &path).await? {
        Ok(answer) => Ok(Some((path, answer))),
        Err(status) if status.code == 404 => Ok(None),
        Err(status) => Err(refused(&path, status.code, &status.message)),
    }
}

/// The custom resource definitions of the cluster, in the order of their names.
pub(crate) fn crds(connection: &Connection) -> anyhow::Result<Vec<Value>> {
    talk(connection, async |client| {
        let mut items = Vec::new();
        let mut next = String::new();
        loop {
            let more = match next.as_str() {
                "" => String::new(),
                token => format!("&continue={}", utf8_percent_encode(token, QUERY)),
            };
            let page = get(client, &format!("{CRDS}?limit={PAGE}{more}")).await?;
            let mut page: Value = serde_json::from_slice(&page)
                .map_err(|error| anyhow!("{CRDS} is no list: {error}"))?;
            let Some(Value::Array(found)) = page.get_mut("items").map(Value::take) else {
                bail!("{CRDS} is no list: it has no `items`");
            };
            items.extend(found);
            let token = page.pointer("/metadata/continue").and_then(Value::as_str);
            match token {
                Some(token) if !token.is_empty() => next = token.to_owned(),
                _ => break,
            }
        }
        Ok(items)
    })
}
