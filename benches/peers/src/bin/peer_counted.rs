//! A peer whose allocator counts the bytes that are live, and their peak; started by the bench `peers`.

#[global_allocator]
static HEAP: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

fn main() -> anyhow::Result<()> {
    larder_peers::run_child()
}
