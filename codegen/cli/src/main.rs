//! The command `larder`: a cluster's OpenAPI document and CRDs as files, compared, explained, and turned into Rust.
//!
//! `args` says what can be asked (`help` what of it is shown, `paths` the options that name one), and one module answers each question:
//! `pull`, `crds`, `diff`, `explain`, `generate`. `cluster` is all that talks to a server, with `kubeconfig` and `request` below it; `file`
//! is all that writes. Results go to standard output, everything else to standard error. A file is written whole or not at all.

mod args;
mod cluster;
mod crds;
mod diff;
mod explain;
mod file;
mod generate;
mod help;
mod kubeconfig;
mod model;
mod paths;
mod pull;
mod request;
mod text;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Args, Command, CrdsCommand, OpenApiCommand};

/// What the command found; an error is code 2.
enum Outcome {
    /// Done, or nothing differs.
    Fine,
    /// There is a difference, as of `diff`.
    Differs,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Differs) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("larder: {}", text::causes(&error));
            ExitCode::from(2)
        }
    }
}

fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Openapi(OpenApiCommand::Pull(pull)) => pull::run(&pull, args.output),
        Command::Openapi(OpenApiCommand::Diff(diff)) => diff::run(&diff, args.output),
        Command::Crds(CrdsCommand::Pull(pull)) => crds::run(&pull, args.output),
        Command::Generate(generate) => generate::run(&generate, args.output),
        Command::Explain(explain) => explain::run(&explain, args.output),
        Command::Completion { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "larder", &mut script);
            text::print_bytes(&script)
        }
    }
}

/// Whoever reads has seen enough, as `head` does.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
