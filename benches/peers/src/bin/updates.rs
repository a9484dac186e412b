//! Plays updates to an informer, started by the bench `peers` under callgrind.

fn main() -> anyhow::Result<()> {
    larder_peers::run_updates()
}
