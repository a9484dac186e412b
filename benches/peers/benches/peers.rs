//! `cargo bench -p larder-peers`: see `docs/measurements.md`.

use clap::Parser as _;
use larder_peers::{Args, Programs, run};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let programs = Programs {
        plain: env!("CARGO_BIN_EXE_larder-peer").into(),
        counted: env!("CARGO_BIN_EXE_larder-peer-counted").into(),
        updates: env!("CARGO_BIN_EXE_larder-updates").into(),
    };
    run(&Args::parse(), &programs).await
}
