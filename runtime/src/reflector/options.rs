//! How a reflector lists, watches, waits and retries.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::backoff::{Backoff, ExponentialBackoff};

/// Settings of a reflector; the default is right for a cluster of any size.
///
/// Every wait for the server has a deadline here, in wall-clock time as tokio's clock measures it. A zero deadline
/// passes at once; no setting turns a deadline off.
///
/// ```
/// # extern crate larder_runtime as larder;
/// use larder::{ExponentialBackoff, ReflectorOptions};
/// use std::time::Duration;
///
/// let options = ReflectorOptions::default()
///     .page_size(1000)
///     .backoff(|| ExponentialBackoff::new(Duration::from_secs(2), Duration::from_secs(60)));
/// assert!(!options.keep_managed_fields);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ReflectorOptions {
    /// Whether the initial state is first asked for as a streaming list (KEP-3157) rather than as a list. A server
    /// that refuses it is asked for a list by itself. Default: true.
    pub streaming_list: bool,
    /// The number of objects in a page of a list; 0 lists without pages. A server with a watch cache ignores it for the
    /// first list, and relists at a version are never paged. Default: 500.
    pub page_size: u32,
    /// The shortest time for which a watch asks (`timeoutSeconds`), in whole seconds; each watch draws its own from
    /// here up to the double, so that many do not reopen in step. Default: 290 s.
    pub watch_timeout: Duration,
    /// How long the head of a list's response may take. (A watch's head counts as its first data.) Default: 60 s.
    pub response_timeout: Duration,
    /// How long a list's body may pause. Default: 60 s.
    pub list_idle_timeout: Duration,
    /// How long a streaming list may go without an object before its end; starts anew with each object. The wait for
    /// the response's head counts too. When it passes, a list is requested instead. Default: 60 s.
    pub streaming_list_timeout: Duration,
    /// How long a streaming list may take in all before a list is requested instead. Its `timeoutSeconds` is longer by this, since its
    /// stream goes on as a watch. Default: 10 min.
    pub streaming_list_cap: Duration,
    /// How often the server sends a bookmark on a quiet watch. Once one was seen, a watch without any data for 2.5
    /// times as long is taken for dead. Default: 60 s, which is kube-apiserver's constant.
    pub bookmark_interval: Duration,
    /// Before any bookmark was seen, a watch without any data is taken for dead this long after its `timeoutSeconds`.
    /// Default: 30 s.
    pub watch_margin: Duration,
    /// Whether objects keep `metadata.managedFields`, which is often half of their bytes. Default: false.
    pub keep_managed_fields: bool,
    /// The largest object, or event of a watch with its line, in bytes of the response, that is taken; a larger one fails its list or
    /// watch with an error that names it, as does any token of that length. `managedFields` count. Default: 32 MiB;
    /// etcd takes requests of 1.5 MiB unless told otherwise (`--max-request-bytes`), and the API server bodies of 3 MiB.
    pub max_object_bytes: usize,
    /// The most labels, and the most annotations, that an object may have; one with more is not stored, counted and reported
    /// as one that does not decode. Default: 10,000. The API server limits their lengths (keys 63 characters after a prefix of
    /// 253, values of labels 63, all annotations together 256 KiB) but not their number, and each costs far more memory than bytes.
    pub max_labels: usize,
    /// Whether errors, health and logs hold the message of a `Status` with another code than 4xx. Such a message can quote
    /// objects: the error of a conversion webhook or of an aggregated API server says what its author likes. Default: false.
    pub show_server_messages: bool,
    backoff: Arc<dyn Fn() -> Box<dyn Backoff> + Send + Sync>,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            streaming_list: true,
            page_size: 500,
            watch_timeout: Duration::from_secs(290),
            response_timeout: Duration::from_secs(60),
            list_idle_timeout: Duration::from_secs(60),
            streaming_list_timeout: Duration::from_secs(60),
            streaming_list_cap: Duration::from_secs(600),
            bookmark_interval: Duration::from_secs(60),
            watch_margin: Duration::from_secs(30),
            keep_managed_fields: false,
            max_object_bytes: 32 << 20,
            max_labels: 10_000,
            show_server_messages: false,
            backoff: Arc::new(|| Box::new(ExponentialBackoff::default())),
        }
    }
}

/// One setter per option: each takes the options, sets the field of its name and hands them back.
impl ReflectorOptions {
    /// Sets [`streaming_list`](Self#structfield.streaming_list).
    #[must_use]
    pub fn streaming_list(mut self, on: bool) -> Self {
        self.streaming_list = on;
        self
    }

    /// Sets [`page_size`](Self#structfield.page_size).
    #[must_use]
    pub fn page_size(mut self, objects: u32) -> Self {
        self.page_size = objects;
        self
    }

    /// Sets [`watch_timeout`](Self#structfield.watch_timeout).
    #[must_use]
    pub fn watch_timeout(mut self, shortest: Duration) -> Self {
        self.watch_timeout = shortest;
        self
    }

    /// Sets [`response_timeout`](Self#structfield.response_timeout).
    #[must_use]
    pub fn response_timeout(mut self, deadline: Duration) -> Self {
        self.response_timeout = deadline;
        self
    }

    /// Sets [`list_idle_timeout`](Self#structfield.list_idle_timeout).
    #[must_use]
    pub fn list_idle_timeout(mut self, deadline: Duration) -> Self {
        self.list_idle_timeout = deadline;
        self
    }

    /// Sets [`streaming_list_timeout`](Self#structfield.streaming_list_timeout).
    #[must_use]
    pub fn streaming_list_timeout(mut self, deadline: Duration) -> Self {
        self.streaming_list_timeout = deadline;
        self
    }

    /// Sets [`streaming_list_cap`](Self#structfield.streaming_list_cap).
    #[must_use]
    pub fn streaming_list_cap(mut self, deadline: Duration) -> Self {
        self.streaming_list_cap = deadline;
        self
    }

    /// Sets [`bookmark_interval`](Self#structfield.bookmark_interval).
    #[must_use]
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.bookmark_interval = interval;
        self
    }

    /// Sets [`watch_margin`](Self#structfield.watch_margin).
    #[must_use]
    pub fn watch_margin(mut self, margin: Duration) -> Self {
        self.watch_margin = margin;
        self
    }

    /// Sets [`keep_managed_fields`](Self#structfield.keep_managed_fields).
    #[must_use]
    pub fn keep_managed_fields(mut self, keep: bool) -> Self {
        self.keep_managed_fields = keep;
        self
    }

    /// Sets [`max_object_bytes`](Self#structfield.max_object_bytes).
    #[must_use]
    pub fn max_object_bytes(mut self, bytes: usize) -> Self {
        self.max_object_bytes = bytes;
        self
    }

    /// Sets [`max_labels`](Self#structfield.max_labels).
    #[must_use]
    pub fn max_labels(mut self, count: usize) -> Self {
        self.max_labels = count;
        self
    }

    /// Sets [`show_server_messages`](Self#structfield.show_server_messages).
    #[must_use]
    pub fn show_server_messages(mut self, show: bool) -> Self {
        self.show_server_messages = show;
        self
    }

    /// Sets what makes the [`Backoff`] of each reflector. Default: [`ExponentialBackoff::default`].
    #[must_use]
    pub fn backoff<B: Backoff + 'static>(
        mut self,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Self {
        self.backoff = Arc::new(move || Box::new(make()));
        self
    }

    pub(super) fn make_backoff(&self) -> Box<dyn Backoff> {
        (self.backoff)()
    }

    /// A `timeoutSeconds` from [`watch_timeout`](Self#structfield.watch_timeout) up to its double.
    pub(super) fn draw_watch_timeout(&self, random: &mut fastrand::Rng) -> Duration {
        let shortest = self.watch_timeout.as_secs().max(1);
        Duration::from_secs(random.u64(shortest..=shortest.saturating_mul(2)))
    }

    /// How long a watch that asked for `timeout` may be without data.
    pub(super) fn watch_idle_timeout(&self, timeout: Duration, bookmarks: bool) -> Duration {
        if bookmarks {
            self.bookmark_interval.saturating_mul(5) / 2
        } else {
            timeout.saturating_add(self.watch_margin)
        }
    }
}

impl fmt::Debug for ReflectorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("streaming_list", &self.streaming_list)
            .field("page_size", &self.page_size)
            .field("watch_timeout", &self.watch_timeout)
            .field("response_timeout", &self.response_timeout)
            .field("list_idle_timeout", &self.list_idle_timeout)
            .field("streaming_list_timeout", &self.streaming_list_timeout)
            .field("streaming_list_cap", &self.streaming_list_cap)
            .field("bookmark_interval", &self.bookmark_interval)
            .field("watch_margin", &self.watch_margin)
            .field("keep_managed_fields", &self.keep_managed_fields)
            .field("max_object_bytes", &self.max_object_bytes)
            .field("max_labels", &self.max_labels)
            .field("show_server_messages", &self.show_server_messages)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c085_watch_timeouts_are_drawn_between_the_shortest_and_its_double() {
        let options = ReflectorOptions::default();
        let mut random = fastrand::Rng::with_seed(1);
        let drawn: Vec<_> = (0..1000)
            .map(|_| options.draw_watch_timeout(&mut random).as_secs())
            .collect();
        assert!(drawn.iter().all(|seconds| (290..=580).contains(seconds)));
        assert!(drawn.iter().any(|seconds| *seconds < 320));
        assert!(drawn.iter().any(|seconds| *seconds > 550));

        let least = ReflectorOptions::default().watch_timeout(Duration::ZERO);
        assert!(least.draw_watch_timeout(&mut random).as_secs() >= 1);
        let most = ReflectorOptions::default().watch_timeout(Duration::MAX);
        most.draw_watch_timeout(&mut random);
    }

    #[test]
    fn c151_idle_means_bookmarks_once_they_were_seen() {
        let options = ReflectorOptions::default();
        let timeout = Duration::from_secs(300);
        assert_eq!(options.watch_idle_timeout(timeout, false).as_secs(), 330);
        assert_eq!(options.watch_idle_timeout(timeout, true).as_secs(), 150);
    }
}
