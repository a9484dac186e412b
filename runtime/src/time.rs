//! Instants as far away as anyone likes.

use std::time::Duration;

use tokio::time::Instant;

/// `by` after `instant`. Durations that users give may be anything, and adding a huge one to an instant would panic.
pub(crate) fn later(instant: Instant, by: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    instant + by.min(CENTURY)
}
