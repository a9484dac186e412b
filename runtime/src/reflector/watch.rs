//! Carries out a watch, or a streaming list that goes on as one.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};

use super::answer::{self, Stop};
use super::deadline::Deadline;
use super::error::{Awaited, ReflectorFailure, ReflectorRequest};
use super::list::broken;
use super::request::Ask;
use super::run::{Driver, Life, Opened};
use super::status::Phase;
use super::step::{Cause, Outcome};
use crate::decode::{EventType, Item, RawObject, Splitter};
use crate::identity::ResourceVersion;
use crate::transport::{BodyStream, TransportError};

/// A watch that stays open for this long ends staleness, even if the kind is too quiet for an event; but not after one
/// that fell silent, when only an event or a bookmark does.
const HEALTHY_LIFE: Duration = Duration::from_secs(5);

/// The annotation, with the value `true`, of the bookmark that ends a streaming list's initial state (KEP-3157).
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// One open stream.
struct Follow {
    /// Whether the initial state of a streaming list is still incomplete.
    initial: bool,
    /// For how long the server was asked to keep the stream, from the start of the watch.
    timeout: Duration,
    deadline: Deadline,
    life: Life,
    /// When the stream is to be called healthy, until it is.
    healthy_at: Option<Instant>,
}

impl Driver {
    /// Follows a stream of events to its end.
    pub(super) async fn follow(&mut self, ask: Ask<'_>, timeout: Duration, initial: bool) {
        let deadline = if initial {
            Deadline::capped(
                self.options.streaming_list_timeout,
                self.options.streaming_list_cap,
            )
        } else {
            // Not the deadline of a list's head: some proxies hold a watch's until its first event.
            Deadline::each(self.idle_timeout(timeout))
        };
        let mut follow = Follow {
            initial,
            timeout,
            life: Life::unborn(),
            deadline,
            healthy_at: None,
        };
        let asked = if initial {
            ReflectorRequest::StreamingList
        } else {
            ReflectorRequest::Watch
        };
        let stop = match self.open(asked, ask, &follow.deadline).await {
            Ok(opened) => self.events(opened, &mut follow).await,
            Err(stop) => stop,
        };
        let request = if follow.initial {
            ReflectorRequest::StreamingList
        } else {
            ReflectorRequest::Watch
        };
        self.ended(request, stop, follow.life);
        if follow.initial {
            self.sink.abandon();
        }
    }

    fn idle_timeout(&self, timeout: Duration) -> Duration {
        self.options
            .watch_idle_timeout(timeout, self.machine.expects_bookmarks())
    }

    /// Takes events until the stream ends, and says why it did.
    async fn events(&mut self, opened: Opened, follow: &mut Follow) -> Stop {
        let Opened { mut body, split } = opened;
        let now = Instant::now();
        follow.life.accepted = Some(now);
        if follow.initial {
            self.status.phase(Phase::Listing);
        }
        let trusted = !follow.initial && self.machine.trusts_quiet();
        follow.healthy_at = trusted.then(|| now + HEALTHY_LIFE);
        let mut splitter = Splitter::watch(split);
        loop {
            match self.chunk(&mut body, follow).await {
                Ok(Some(chunk)) => {
                    self.status.observed.received(chunk.len());
                    splitter.push(&chunk);
                }
                Ok(None) => return end(splitter, follow.life),
                Err(stop) => return stop,
            }
            let taken = self.take(&mut splitter, follow).await;
            self.flush();
            if let Err(stop) = taken {
                return stop;
            }
        }
    }

    /// The next chunk, by the deadline; `None` at the end.
    async fn chunk(
        &mut self,
        body: &mut BodyStream,
        follow: &mut Follow,
    ) -> Result<Option<Bytes>, Stop> {
        let what = if follow.initial {
            Awaited::InitialState
        } else {
            follow.deadline = Deadline::each(self.idle_timeout(follow.timeout));
            Awaited::Data
        };
        follow.life.last_sign = Instant::now();
        if let Some(at) = follow.healthy_at.filter(|at| *at < follow.deadline.at()) {
            if let Ok(chunk) = timeout_at(at, body.next()).await {
                return chunk.transpose().map_err(cut);
            }
            follow.healthy_at = None;
            self.status.healthy();
        }
        match follow.deadline.guard(what, body.next()).await {
            Ok(chunk) => chunk.transpose().map_err(cut),
            Err(failure) => Err(Stop {
                cause: Cause::Silent,
                failure,
            }),
        }
    }

    /// Takes the events that are completely there.
    async fn take(&mut self, splitter: &mut Splitter, follow: &mut Follow) -> Result<(), Stop> {
        while let Some(item) = splitter.next() {
            let item = item.map_err(|error| {
                self.status.count_broken();
                broken(error)
            })?;
            self.event(&item, follow)?;
            self.cooperate().await;
        }
        Ok(())
    }

    fn event(&mut self, item: &Item<'_>, follow: &mut Follow) -> Result<(), Stop> {
        self.status.observed.event(item.event);
        match item.event {
            Some(EventType::Error) => Err(answer::of_event(&item.object)),
            Some(EventType::Bookmark) => self.bookmark(&item.object, follow),
            Some(event @ (EventType::Added | EventType::Modified | EventType::Deleted)) => {
                let deleted = event == EventType::Deleted;
                if follow.initial {
                    self.initial_event(&item.object, deleted, follow);
                    Ok(())
                } else {
                    self.watch_event(&item.object, deleted)
                }
            }
            Some(EventType::Other) | None => {
                self.status.count_unknown_event();
                Ok(())
            }
        }
    }

    fn initial_event(&mut self, object: &RawObject<'_>, deleted: bool, follow: &mut Follow) {
        follow.deadline.renew();
        if object.name().is_none() {
            self.status.count_broken();
        } else if deleted {
            self.sink.unstage(object);
        } else {
            self.sink.stage(object);
        }
    }

    fn watch_event(&mut self, object: &RawObject<'_>, deleted: bool) -> Result<(), Stop> {
        let Some(version) = version(object).filter(|_| object.name().is_some()) else {
            self.status.count_broken();
            return Err(broken(
                "an event's object has no name or no resourceVersion",
            ));
        };
        if deleted {
            self.sink.delete(object);
        } else {
            self.sink.upsert(object);
        }
        self.unflushed = true;
        self.machine.on(Outcome::Event { version });
        Ok(())
    }

    fn bookmark(&mut self, object: &RawObject<'_>, follow: &mut Follow) -> Result<(), Stop> {
        let ends =
            follow.initial && object.annotation(INITIAL_EVENTS_END).as_deref() == Some("true");
        let Some(version) = version(object) else {
            self.status.count_broken();
            return if ends {
                Err(broken(
                    "the bookmark that ends the initial state has no resourceVersion",
                ))
            } else {
                Ok(())
            };
        };
        if ends {
            self.machine.on(Outcome::Listed {
                version: version.clone(),
            });
            self.commit(&version);
            follow.initial = false;
            let listing = follow.life.accepted.map(|at| at.elapsed());
            follow.timeout = follow.timeout.saturating_sub(listing.unwrap_or_default());
            follow.life.accepted = Some(Instant::now());
        } else if !follow.initial {
            self.sink.bookmark(version.clone());
            self.unflushed = true;
            self.machine.on(Outcome::Bookmark { version });
        }
        Ok(())
    }
}

fn version(object: &RawObject<'_>) -> Option<ResourceVersion> {
    let version = object.resource_version()?;
    (!version.is_empty()).then(|| ResourceVersion::new(&version))
}

fn cut(error: TransportError) -> Stop {
    Stop {
        cause: Cause::Cut,
        failure: ReflectorFailure::Transport(error),
    }
}

/// What the end of the body means.
fn end(splitter: Splitter, life: Life) -> Stop {
    match splitter.finish() {
        Ok(_) => {
            let after = life.accepted.map_or(Duration::ZERO, |at| at.elapsed());
            Stop {
                cause: Cause::Complete,
                failure: ReflectorFailure::Ended { after },
            }
        }
        Err(error) => Stop {
            cause: Cause::Cut,
            failure: ReflectorFailure::Malformed(error.into()),
        },
    }
}
