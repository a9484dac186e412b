//! A value that others wait to see changed, as tokio's `watch`, except that waiters wake in the order in which they began to
//! wait. Tokio's wake in an order drawn at random, so that a seed would not give the same run again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The ringing end. When it is gone, listeners hear that it is closed.
#[derive(Debug)]
pub(crate) struct Bell<T>(Arc<Inner<T>>);

/// One listener.
#[derive(Debug)]
pub(crate) struct Listener<T> {
    inner: Arc<Inner<T>>,
    seen: u64,
}

#[derive(Debug)]
struct Inner<T> {
    state: Mutex<State<T>>,
    rung: Notify,
}

#[derive(Debug)]
struct State<T> {
    value: T,
    changes: u64,
    closed: bool,
}

/// Nobody can ring any more.
#[derive(Debug)]
pub(crate) struct Closed;

impl<T> Inner<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Copy> Bell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(Inner {
            state: Mutex::new(State {
                value,
                changes: 0,
                closed: false,
            }),
            rung: Notify::new(),
        }))
    }

    /// Sets the value and wakes all who wait, also where it is the same value.
    pub(crate) fn ring(&self, value: T) {
        self.change(|old| *old = value);
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut T)) {
        let mut state = self.0.state();
        change(&mut state.value);
        state.changes += 1;
        drop(state);
        self.0.rung.notify_waiters();
    }

    /// A listener that has heard all up to now.
    pub(crate) fn listen(&self) -> Listener<T> {
        Listener {
            seen: self.0.state().changes,
            inner: Arc::clone(&self.0),
        }
    }
}

impl<T> Drop for Bell<T> {
    fn drop(&mut self) {
        self.0.state().closed = true;
        self.0.rung.notify_waiters();
    }
}

impl<T: Copy> Listener<T> {
    /// The value now, which counts as heard.
    pub(crate) fn hear(&mut self) -> T {
        let state = self.inner.state();
        self.seen = state.changes;
        state.value
    }

    /// Whether the value was set after it was last heard, or never will be again.
    pub(crate) fn has_changed(&self) -> bool {
        let state = self.inner.state();
        state.changes != self.seen || state.closed
    }

    /// Waits until the value was set after it was last heard, which then counts as heard.
    pub(crate) async fn changed(&mut self) -> Result<(), Closed> {
        loop {
            // Before the look, so that a change in between is not missed.
            let rung = self.inner.rung.notified();
            let (changes, closed) = {
                let state = self.inner.state();
                (state.changes, state.closed)
            };
            if changes != self.seen {
                self.seen = changes;
                return Ok(());
            }
            if closed {
                return Err(Closed);
            }
            rung.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn listeners_wake_in_the_order_in_which_they_came_and_hear_the_end() {
        let bell = Bell::new(0);
        let woken = Arc::new(Mutex::new(Vec::new()));
        let tasks: Vec<_> = (0..20)
            .map(|number| {
                let (mut listener, woken) = (bell.listen(), Arc::clone(&woken));
                tokio::spawn(async move {
                    listener.changed().await.unwrap();
                    woken.lock().unwrap().push((number, listener.hear()));
                    assert!(listener.changed().await.is_err());
                })
            })
            .collect();
        tokio::task::yield_now().await;
        bell.ring(7);
        tokio::task::yield_now().await;
        drop(bell);
        for task in tasks {
            task.await.unwrap();
        }
        let expected: Vec<_> = (0..20).map(|number| (number, 7)).collect();
        assert_eq!(*woken.lock().unwrap(), expected);
    }
}
