//! What a cluster is asked, under one deadline.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use kube::Client;
use larder_codegen::Model;
use larder_naming::BuiltInGroup;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

use crate::args::Connection;
use crate::kubeconfig;
use crate::request::{ask, get_json, refused};
use crate::text::{did_you_mean, plural, spoken};

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
        let config = kubeconfig::config(connection).await?;
        let server = config.cluster_url.to_string();
        let client = kubeconfig::client(config)?;
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

/// Which groups' documents are wanted; groups are called as on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Groups<'a> {
    All,
    /// Each of these; one that is not there is an error.
    Each(&'a [String]),
    /// Those of these that are there.
    Present(&'a [String]),
    /// All that the server does not refuse, as an aggregated API that is down: a person is told, and told the rest.
    Readable,
}

impl Groups<'_> {
    fn has(&self, group: &str) -> bool {
        match self {
            Self::All | Self::Readable => true,
            Self::Each(wanted) | Self::Present(wanted) => {
                wanted.iter().any(|wanted| wanted == spoken(group))
            }
        }
    }

    /// What to make of a refusal.
    fn or_note(&self, error: anyhow::Error) -> anyhow::Result<()> {
        let Self::Readable = self else {
            return Err(error);
        };
        eprintln!("note: left out: {error}");
        Ok(())
    }
}

/// What the cluster serves of these groups.
pub(crate) fn model(connection: &Connection, groups: Groups<'_>) -> anyhow::Result<Model> {
    let documents = talk(connection, async |client| documents(client, groups).await)?;
    larder_codegen::read_parts(documents)
        .map_err(|errors| anyhow!("the server's documents cannot be read:\n{errors}"))
}

/// A document, with its path in the index.
type Document = (String, Vec<u8>);

async fn documents(client: &Client, groups: Groups<'_>) -> anyhow::Result<Vec<Document>> {
    let index: Index = get_json(client, "/openapi/v3", "index of OpenAPI v3").await?;
    let served: Vec<(&str, &String, &Located)> = index
        .paths
        .iter()
        .filter_map(|(path, located)| Some((group(path)?, path, located)))
        .collect();
    if let Groups::Each(wanted) = groups {
        are_there(wanted, served.iter().map(|(group, ..)| spoken(group)))?;
    }
    let wanted = served.into_iter().filter(|(group, ..)| groups.has(group));
    let fetches = wanted.map(|(group, path, located)| async move {
        let document = match ask(client, &located.server_relative_url).await? {
            Ok(document) => document,
            Err(refusal) => {
                let url = &located.server_relative_url;
                groups.or_note(refused(url, refusal.code, &refusal.message))?;
                return Ok(Vec::new());
            }
        };
        let mut documents = vec![(path.clone(), document)];
        // Of aggregated APIs no document says whether they can be watched.
        if BuiltInGroup::find(group).is_none() {
            documents.extend(discovery(client, path, groups).await?);
        }
        Ok::<_, anyhow::Error>(documents)
    });
    let documents = stream::iter(fetches).buffered(AT_ONCE);
    let documents: Vec<Vec<Document>> = documents.try_collect().await?;
    Ok(documents.into_iter().flatten().collect())
}

fn are_there<'a>(
    wanted: &[String],
    known: impl Iterator<Item = &'a str> + Clone,
) -> anyhow::Result<()> {
    for wanted in wanted {
        if !known.clone().any(|known| known == wanted) {
            let hint = did_you_mean(wanted, known);
            bail!("the server has no group {wanted:?}{hint}");
        }
    }
    Ok(())
}

/// What the server says of the kinds of a group and version; `None` if they have gone in the meantime.
async fn discovery(
    client: &Client,
    path: &str,
    groups: Groups<'_>,
) -> anyhow::Result<Option<Document>> {
    let path = format!("/{path}");
    match ask(client, &path).await? {
        Ok(answer) => Ok(Some((path, answer))),
        Err(refusal) if refusal.code == 404 => Ok(None),
        Err(refusal) => {
            groups.or_note(refused(&path, refusal.code, &refusal.message))?;
            Ok(None)
        }
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
            let path = format!("{CRDS}?limit={PAGE}{more}");
            let mut page: Value = get_json(client, &path, "list").await?;
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
