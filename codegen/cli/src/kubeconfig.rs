//! Which cluster is meant: from the command line and the kubeconfig to a configuration of the client.
//!
//! A kubeconfig has secrets, so that nothing of it but names of contexts and places comes into an error.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};

use crate::args::Connection;
use crate::text::did_you_mean;

/// The configuration that the connection asks for, without retries: a person waits, and the first refusal is to be seen.
pub(crate) async fn config(connection: &Connection) -> anyhow::Result<Config> {
    let mut config = match read(connection.kubeconfig.as_deref())? {
        Found::Kubeconfig(found) => of_context(*found, connection.context.as_deref()).await?,
        Found::Nothing { looked_at } => in_cluster(connection, &looked_at)?,
    };
    config.default_retry = false;
    Ok(config)
}

/// A client of that configuration.
pub(crate) fn client(config: Config) -> anyhow::Result<Client> {
    let exec = config.auth_info.exec.as_ref();
    let program = exec.and_then(|exec| exec.command.clone());
    Client::try_from(config).with_context(|| match program {
        Some(program) => {
            format!("the program {program:?}, by which the kubeconfig has one log in, has failed")
        }
        None => "making a client of the kubeconfig".to_owned(),
    })
}

enum Found {
    Kubeconfig(Box<Kubeconfig>),
    /// There is none where kubectl looks for it.
    Nothing {
        looked_at: String,
    },
}

/// The file that is named, or those that kubectl finds.
fn read(file: Option<&Path>) -> anyhow::Result<Found> {
    let read = match file {
        Some(file) => Kubeconfig::read_from(file),
        None => Kubeconfig::read(),
    };
    match read {
        Ok(kubeconfig) => Ok(Found::Kubeconfig(Box::new(kubeconfig))),
        Err(KubeconfigError::FindPath) => Ok(Found::Nothing {
            looked_at: "~/.kube/config, as there is no home folder".to_owned(),
        }),
        Err(KubeconfigError::ReadConfig(error, path))
            if file.is_none() && error.kind() == std::io::ErrorKind::NotFound =>
        {
            Ok(Found::Nothing {
                looked_at: path.display().to_string(),
            })
        }
        Err(KubeconfigError::ReadConfig(error, path)) => {
            Err(error).with_context(|| format!("cannot read the kubeconfig {}", path.display()))
        }
        Err(KubeconfigError::Parse(error)) => {
            let file = file.map_or_else(String::new, |file| format!(" {}", file.display()));
            let at = error.location().map_or_else(String::new, |at| {
                format!(": see line {}, column {}", at.line(), at.column())
            });
            Err(anyhow!(
                "the kubeconfig{file} is not what one looks like{at}"
            ))
        }
        Err(error) => Err(error).context("cannot read the kubeconfig"),
    }
}

/// The account of the pod that the command runs in.
fn in_cluster(connection: &Connection, looked_at: &str) -> anyhow::Result<Config> {
    let none = format!("there is no kubeconfig at {looked_at}");
    if connection.context.is_some() || std::env::var_os("KUBERNETES_SERVICE_HOST").is_none() {
        return Err(anyhow!(
            "no cluster is configured: {none}; set KUBECONFIG, or name a file with `--kubeconfig`"
        ));
    }
    Config::incluster().with_context(|| format!("{none}, and the pod's account cannot be used"))
}

async fn of_context(kubeconfig: Kubeconfig, context: Option<&str>) -> anyhow::Result<Config> {
    let current = kubeconfig.current_context.clone().unwrap_or_default();
    let wanted = context.unwrap_or(&current);
    let known = kubeconfig.contexts.iter();
    let known: Vec<&str> = known.map(|context| context.name.as_str()).collect();
    if !known.contains(&wanted) {
        return Err(anyhow!(no_context(wanted, &known)));
    }
    let options = KubeConfigOptions {
        context: Some(wanted.to_owned()),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    config.with_context(|| {
        format!(
            "the context {:?} of the kubeconfig cannot be used",
            options.context.unwrap_or_default()
        )
    })
}

fn no_context(wanted: &str, known: &[&str]) -> String {
    let what = match wanted {
        "" => "the kubeconfig has no current context".to_owned(),
        wanted => format!("the kubeconfig has no context {wanted:?}"),
    };
    let near = did_you_mean(wanted, known.iter().copied());
    match (known, near.as_str()) {
        ([], _) => format!("{what}: it has no contexts at all"),
        (_, "") => format!("{what}: name one with `--context`: {}", known.join(", ")),
        _ => format!("{what}{near}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_context_names_those_that_are_there() {
        let known = ["kind-test", "production"];
        for (wanted, known, expected) in [
            (
                "prodution",
                &known[..],
                "the kubeconfig has no context \"prodution\" (did you mean \"production\"?)",
            ),
            (
                "x",
                &known[..],
                "the kubeconfig has no context \"x\": name one with `--context`: kind-test, production",
            ),
            (
                "",
                &known[..],
                "the kubeconfig has no current context: name one with `--context`: kind-test, production",
            ),
            (
                "x",
                &[],
                "the kubeconfig has no context \"x\": it has no contexts at all",
            ),
        ] {
            assert_eq!(no_context(wanted, known), expected);
        }
    }
}
