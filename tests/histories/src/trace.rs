//! What happened in a history, as one number, so that two runs of a seed can be compared.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex};

use tokio::time::Instant;

/// Takes down what is observed, in order and with its moment. With `LARDER_TRACE` set, prints it as well.
#[derive(Clone)]
pub(crate) struct Trace(Arc<Inner>);

struct Inner {
    start: Instant,
    prints: bool,
    hash: Mutex<DefaultHasher>,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            start: Instant::now(),
            prints: std::env::var_os("LARDER_TRACE").is_some(),
            hash: Mutex::default(),
        }))
    }

    pub(crate) fn note(&self, what: fmt::Arguments<'_>) {
        let line = format!("{:?} {what}", self.0.start.elapsed());
        if self.0.prints {
            println!("{line}");
        }
        line.hash(&mut *self.0.hash.lock().unwrap());
    }

    pub(crate) fn hash(&self) -> u64 {
        self.0.hash.lock().unwrap().finish()
    }
}
