//! Keeps what may happen at every object from flooding the log.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// So many are said aloud …
const ALOUD: u32 = 10;
/// … in this time.
const WINDOW: Duration = Duration::from_secs(60);

/// At which level a repeated message is to be logged: the first ten in a minute at their own, further ones at DEBUG.
#[derive(Default)]
pub(crate) struct Seldom(Mutex<Window>);

#[derive(Default)]
struct Window {
    began: Option<Instant>,
    said: u32,
    withheld: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Say {
    /// At the message's own level, with how many were said at DEBUG alone since the last one.
    Aloud { withheld: u64 },
    /// At DEBUG.
    Quietly,
}

impl Seldom {
    /// How many were said at DEBUG alone; they count as said from now on.
    pub(crate) fn take_withheld(&self) -> u64 {
        std::mem::take(&mut self.lock().withheld)
    }

    fn lock(&self) -> MutexGuard<'_, Window> {
        // Each write leaves a valid state.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn next(&self) -> Say {
        let now = Instant::now();
        let mut window = self.lock();
        if window.began.is_none_or(|began| now - began >= WINDOW) {
            window.began = Some(now);
            window.said = 0;
        }
        if window.said == ALOUD {
            window.withheld += 1;
            return Say::Quietly;
        }
        window.said += 1;
        Say::Aloud {
            withheld: std::mem::take(&mut window.withheld),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn ten_in_a_minute_are_said_aloud() {
        let seldom = Seldom::default();
        let aloud = || (0..1000).filter(|_| seldom.next() != Say::Quietly).count();
        assert_eq!(aloud(), 10);
        tokio::time::advance(WINDOW / 2).await;
        assert_eq!(aloud(), 0);
        tokio::time::advance(WINDOW / 2).await;
        assert_eq!(seldom.next(), Say::Aloud { withheld: 1990 });
        assert_eq!(seldom.next(), Say::Aloud { withheld: 0 });
        assert_eq!(aloud(), 8);
        assert_eq!((seldom.take_withheld(), seldom.take_withheld()), (992, 0));
    }
}
