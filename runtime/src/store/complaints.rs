//! How often the log says that an object was not stored: a kind of which no object decodes is one mistake, not 10,000.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many in each span are said one by one; the others are counted and said together.
const ALOUD: u32 = 10;
const SPAN: Duration = Duration::from_secs(60);

/// Counts what is said, and what is not.
#[derive(Default)]
pub(super) struct Complaints(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    /// When the present span began.
    since: Option<Instant>,
    said: u32,
    unsaid: u64,
}

/// What is to be said of one more object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// How many were left unsaid in an earlier span, to be said first.
    pub(super) earlier: u64,
    pub(super) how: How,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum How {
    Aloud,
    /// Aloud, and that the next ones will not be.
    Last,
    Silent,
}

impl Complaints {
    /// One more.
    pub(super) fn next(&self) -> Complaint {
        let mut counted = self.lock();
        let now = Instant::now();
        let mut earlier = 0;
        if counted.since.is_none_or(|since| now - since >= SPAN) {
            earlier = std::mem::take(&mut counted.unsaid);
            counted.since = Some(now);
            counted.said = 0;
        }
        if counted.said == ALOUD {
            counted.unsaid += 1;
            let how = How::Silent;
            return Complaint { earlier, how };
        }
        counted.said += 1;
        let how = match counted.said {
            ALOUD => How::Last,
            _ => How::Aloud,
        };
        Complaint { earlier, how }
    }

    /// How many were left unsaid; they count as said from now on.
    pub(super) fn take_unsaid(&self) -> u64 {
        std::mem::take(&mut self.lock().unsaid)
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        // Each write leaves a valid state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn c150_ten_a_minute_are_said_one_by_one_and_the_others_together() {
        let complaints = Complaints::default();
        let hear = |count: usize| (0..count).map(|_| complaints.next()).collect::<Vec<_>>();
        let silent =
            |heard: &[Complaint]| heard.iter().filter(|one| one.how == How::Silent).count();
        let heard = hear(1000);
        assert_eq!(silent(&heard), 990);
        assert_eq!(heard[9].how, How::Last);
        assert_eq!(complaints.take_unsaid(), 990);
        assert_eq!(silent(&hear(5)), 5);
        tokio::time::advance(SPAN).await;
        let heard = hear(3);
        assert_eq!(
            (silent(&heard), heard[0].earlier, heard[1].earlier),
            (0, 5, 0)
        );
        assert_eq!(complaints.take_unsaid(), 0);
    }
}
