//! A peer with the system's allocator, started by the bench `peers`.

fn main() -> anyhow::Result<()> {
    larder_peers::run_child()
}
