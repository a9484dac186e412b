//! The body of a watch.

use super::{
    body::{BodyError, ResponseBody, cut},
    plan::End,
    wire::Wire,
};
use crate::{
    bell::Listener,
    kind::Kind,
    object::Stored,
    selector::Selector,
    server::{Ending, Shared},
    status::Status,
    store::{Change, Event, KindId, Store},
};
use bytes::Bytes;
use futures_util::stream;
use std::{sync::Arc, time::Duration, vec};
use tokio::time::Instant;

/// A bookmark comes this long before the watch ends, so that the client resumes from close to now.
const BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);

/// The state with which a watch begins.
pub(crate) struct InitialEvents {
    pub(crate) objects: Vec<Arc<Stored>>,
    /// Whether a bookmark says where the initial events end.
    pub(crate) mark_end: bool,
}

/// Where and how a watch starts.
pub(crate) struct WatchStart {
    pub(crate) id: KindId,
    pub(crate) kind: Arc<Kind>,
    pub(crate) namespace: String,
    pub(crate) selector: Selector,
    /// Events after this version are sent.
    pub(crate) after: u64,
    pub(crate) initial: Option<InitialEvents>,
    pub(crate) bookmarks: bool,
    pub(crate) timeout: Duration,
}

struct Watching {
    shared: Arc<Shared>,
    id: KindId,
    kind: Arc<Kind>,
    scope: String,
    selector: Selector,
    /// Everything up to this version was written.
    cursor: u64,
    reader: u64,
    initial: Option<(vec::IntoIter<Arc<Stored>>, bool)>,
    bookmarks: bool,
    next_bookmark: Instant,
    ends_at: Instant,
    bell: Listener<u64>,
    disconnect: Listener<Ending>,
    wire: Wire,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut store = self.shared.store();
        if let Ok(table) = store.table_mut(self.id) {
            table.log_mut().close_reader(self.reader);
        }
        drop(store);
        self.shared.watchers_changed();
    }
}

/// Opens a watch. `store` is the locked state in which the initial events were collected, so that nothing comes
/// between them and the events that follow.
pub(crate) fn watch_body(
    shared: &Arc<Shared>,
    store: &mut Store,
    start: WatchStart,
    wire: Wire,
) -> Result<ResponseBody, Status> {
    let table = store.table_mut(start.id)?;
    let lifetime = wire
        .plan()
        .and_then(|plan| plan.lifetime)
        .unwrap_or(start.timeout);
    let now = Instant::now();
    let ends_at = now + lifetime;
    let scope = if start.namespace.is_empty() {
        String::new()
    } else {
        format!("{}/", start.namespace)
    };
    let watching = Watching {
        shared: Arc::clone(shared),
        id: start.id,
        kind: start.kind,
        scope,
        selector: start.selector,
        cursor: start.after,
        reader: table.log_mut().open_reader(start.after),
        initial: start
            .initial
            .map(|initial| (initial.objects.into_iter(), initial.mark_end)),
        bookmarks: start.bookmarks,
        next_bookmark: bookmark_time(now, shared.settings().bookmark_interval, ends_at),
        ends_at,
        bell: table.bell(),
        disconnect: shared.disconnections(),
        wire,
    };
    shared.watchers_changed();
    Ok(ResponseBody::streamed(stream::unfold(
        Some(watching),
        |watching| async move {
            let mut watching = watching?;
            let item = watching.next().await?;
            let next = item.is_ok().then_some(watching);
            Some((item, next))
        },
    )))
}

/// What ended a wait.
enum Woken {
    Changed,
    KindRemoved,
    Bookmark,
    TimeIsUp,
    Disconnected,
}

impl Watching {
    async fn next(&mut self) -> Option<Result<Bytes, BodyError>> {
        loop {
            if self.disconnect.has_changed() {
                return self.ended().await;
            }
            self.keep_time();
            self.fill();
            if let Some(chunk) = self.wire.take() {
                self.pause().await;
                return Some(Ok(chunk));
            }
            match self.wire.end() {
                Some(End::Clean) => return None,
                Some(End::Cut) => return cut().await,
                Some(End::Silence) => {
                    // Only the test itself can end this.
                    drop(self.disconnect.changed().await);
                    return cut().await;
                }
                None => {}
            }
            match self.wait().await {
                Woken::Changed | Woken::Bookmark => {}
                Woken::KindRemoved | Woken::TimeIsUp => self.wire.finish(),
                Woken::Disconnected => return self.ended().await,
            }
        }
    }

    /// The end that the test asked for.
    async fn ended(&mut self) -> Option<Result<Bytes, BodyError>> {
        let how = self.disconnect.hear();
        match how {
            Ending::Cut => cut().await,
            Ending::Clean => None,
        }
    }

    async fn pause(&self) {
        if let Some(pace) = self.wire.plan().and_then(|plan| plan.pace) {
            tokio::time::sleep(pace).await;
        }
    }

    async fn wait(&mut self) -> Woken {
        let bookmark_at = self
            .bookmarks
            .then_some(self.next_bookmark)
            .filter(|&at| at < self.ends_at);
        tokio::select! {
            biased;
            _ = self.disconnect.changed() => Woken::Disconnected,
            changed = self.bell.changed() => if changed.is_ok() { Woken::Changed } else { Woken::KindRemoved },
            () = tokio::time::sleep_until(bookmark_at.unwrap_or(self.ends_at)) => {
                if bookmark_at.is_some() { Woken::Bookmark } else { Woken::TimeIsUp }
            }
        }
    }

    /// Ends the watch or sends a bookmark if it is time, also where changes come so fast that no wait gets that far.
    fn keep_time(&mut self) {
        let now = Instant::now();
        if now >= self.ends_at && self.wire.end() != Some(End::Silence) {
            self.wire.finish();
        } else if self.bookmarks && self.initial.is_none() && now >= self.next_bookmark {
            self.fill_events();
            self.send_bookmark();
        }
    }

    /// Writes what there is to send, up to a chunk.
    fn fill(&mut self) {
        if let Some((objects, mark_end)) = &mut self.initial {
            let mark_end = *mark_end;
            while !self.wire.is_full() {
                let Some(object) = objects.next() else {
                    self.initial = None;
                    self.end_initial_events(mark_end);
                    break;
                };
                self.wire.event("ADDED", &object);
            }
        }
        if self.initial.is_none() && !self.wire.is_full() {
            self.fill_events();
        }
    }

    fn end_initial_events(&mut self, mark_end: bool) {
        let (no_bookmarks, no_mark) = self.wire.plan().map_or((false, false), |plan| {
            (plan.no_bookmarks, plan.no_initial_end)
        });
        if mark_end && !no_bookmarks {
            self.wire.bookmark(&self.kind, self.cursor, !no_mark);
        }
    }

    fn fill_events(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut store = shared.store();
        self.bell.hear();
        let now = store.version();
        let Ok(table) = store.table_mut(self.id) else {
            self.wire.finish();
            return;
        };
        if table.log().dropped() > self.cursor && self.initial.is_none() {
            // Too far behind: the server closes such a watch, and the client learns at the next one.
            self.wire.finish();
            return;
        }
        let mut caught_up = true;
        for event in table.log().after(self.cursor) {
            if self.wire.is_full() {
                caught_up = false;
                break;
            }
            send(&mut self.wire, &self.scope, &self.selector, event);
            self.cursor = event.object.version;
        }
        if caught_up {
            self.cursor = self.cursor.max(now);
        }
        table.log_mut().move_reader(self.reader, self.cursor);
    }

    fn send_bookmark(&mut self) {
        self.next_bookmark = bookmark_time(
            Instant::now(),
            self.shared.settings().bookmark_interval,
            self.ends_at,
        );
        let is_current = self.cursor <= self.shared.store().version();
        if is_current && !self.wire.plan().is_some_and(|plan| plan.no_bookmarks) {
            self.wire.bookmark(&self.kind, self.cursor, false);
        }
    }
}

/// When the bookmark after `now` is due: after the interval, or shortly before the end.
fn bookmark_time(now: Instant, interval: Duration, ends_at: Instant) -> Instant {
    let regular = now + interval;
    let last = ends_at
        .checked_sub(BOOKMARK_BEFORE_END)
        .filter(|&last| last > now);
    last.map_or(regular, |last| regular.min(last))
}

/// Sends what a change means to this watch: an object that begins to match is added, one that ceases to is deleted.
fn send(wire: &mut Wire, scope: &str, selector: &Selector, event: &Event) {
    if !event.object.key.starts_with(scope) {
        return;
    }
    let matches = |object: &Stored| selector.is_empty() || selector.matches(object);
    let is_in = event.change != Change::Deleted && matches(&event.object);
    let was_in = event.previous.as_ref().filter(|previous| matches(previous));
    match (was_in, is_in) {
        (None, false) => {}
        (None, true) => wire.event("ADDED", &event.object),
        (Some(_), true) => wire.event("MODIFIED", &event.object),
        (Some(previous), false) if event.change == Change::Deleted => {
            debug_assert_eq!(previous.key, event.object.key);
            wire.event("DELETED", &event.object);
        }
        (Some(previous), false) => {
            wire.event("DELETED", &previous.at_version(event.object.version));
        }
    }
}
