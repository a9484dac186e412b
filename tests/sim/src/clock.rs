//! Wall-clock timestamps that follow tokio's clock, so that a paused clock pauses them too.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Where tokio's clock stood at a known time of day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    started: Instant,
    unix_seconds: u64,
}

impl Clock {
    pub(crate) fn starting_at(time: SystemTime) -> Self {
        let unix_seconds = time
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        Self {
            started: Instant::now(),
            unix_seconds,
        }
    }

    /// Seconds since 1970 by this clock.
    pub(crate) fn now(&self) -> u64 {
        self.unix_seconds
            .saturating_add(self.started.elapsed().as_secs())
    }

    /// Now, as `metadata.creationTimestamp` has it.
    pub(crate) fn timestamp(&self) -> String {
        timestamp(self.now())
    }

    /// What [`timestamp`](Self::timestamp) will be after `delay`.
    pub(crate) fn timestamp_after(&self, delay: Duration) -> String {
        timestamp(self.now().saturating_add(delay.as_secs()))
    }
}

/// RFC 3339 in UTC with whole seconds.
pub(crate) fn timestamp(unix_seconds: u64) -> String {
    let (days, second) = (unix_seconds / 86_400, unix_seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Gregorian date of a day counted from 1970-01-01. Years are counted from March, so that the leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn timestamps_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), expected);
        }
    }
}
