//! What may be chosen per handler.

use std::time::Duration;

/// How one handler is called, queued for and resynced.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use std::time::Duration;
/// use larder::{HandlerOptions, Resync};
///
/// let options = HandlerOptions::default()
///     .name("quota")
///     .capacity(256)
///     .resync(Resync::Every(Duration::from_secs(600)));
/// assert_eq!(options.capacity, 256);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerOptions {
    /// The handler's name in logs, errors and metrics; `handler-N` where none is given. A name that another handler
    /// of the informer has gets a number behind it.
    pub name: Option<String>,
    /// How many events may wait before further ones are merged with those that wait, key by key. A waiting event
    /// takes about 200 bytes plus the states it holds. 1024 by default; with 0 all merge from the first on.
    pub capacity: usize,
    /// How often the handler is told again of what is there.
    pub resync: Resync,
}

impl HandlerOptions {
    /// Sets the name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets how many events may wait before they are merged.
    #[must_use]
    pub fn capacity(mut self, events: usize) -> Self {
        self.capacity = events;
        self
    }

    /// Sets how often the handler is told again of what is there.
    #[must_use]
    pub fn resync(mut self, resync: Resync) -> Self {
        self.resync = resync;
        self
    }
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self {
            name: None,
            capacity: 1024,
            resync: Resync::Inherit,
        }
    }
}

/// How often a handler is told again, as updates from a state to itself, of every object that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Resync {
    /// As the informer says.
    #[default]
    Inherit,
    /// Never.
    Never,
    /// About this often. The period is drawn once per handler from 0.9 to 1.1 times this base, so that handlers
    /// which started together do not stay in step. Bases below a second count as one second, zero means never.
    Every(Duration),
}
