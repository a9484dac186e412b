//! Carries out a list, or one page of it.

use futures_util::StreamExt as _;
use tokio::time::Instant;

use super::answer::Stop;
use super::deadline::Deadline;
use super::error::{Awaited, ReflectorFailure, ReflectorRequest};
use super::request::Ask;
use super::run::{Driver, Life, Opened};
use super::status::Phase;
use super::step::{Action, Cause, Outcome};
use crate::decode::{ListEnd, Splitter};
use crate::identity::ResourceVersion;

impl Driver {
    /// Requests a page, stages its objects, and commits the listing if it was the last page. `token` is the one that the
    /// request continues with.
    pub(super) async fn list(&mut self, ask: Ask<'_>, token: Option<&str>) {
        let mut life = Life::unborn();
        let mut page = self.page(ask, &mut life).await;
        if let Ok((_, Some(next))) = &page
            && token == Some(&**next)
        {
            // Pages would follow one another without end and without pause.
            page = Err(broken("the page continues with the token that led to it"));
        }
        match page {
            Ok((version, next)) => {
                let complete = Cause::Complete.name();
                self.status
                    .observed
                    .request_ended(ReflectorRequest::List, complete);
                self.machine.on(Outcome::Page { version, next });
                self.commit_if_complete();
            }
            Err(stop) => {
                self.ended(ReflectorRequest::List, stop, life);
                if !self.machine.keeps_listing() {
                    self.sink.abandon();
                }
            }
        }
    }

    fn commit_if_complete(&mut self) {
        if let Action::Watch { version } = self.machine.next() {
            self.commit(&version);
        }
    }

    /// The staged listing is complete.
    pub(super) fn commit(&mut self, version: &ResourceVersion) {
        self.sink.commit(version.clone());
        let began = self.listing_since.take();
        self.status.listed(version, began);
        tracing::debug!(
            kind = %self.target.kind,
            informer = %self.informer(),
            namespace = self.target.namespace(),
            %version,
            took = began.map(|began| tracing::field::debug(began.elapsed())),
            "listed"
        );
        self.status.phase(Phase::Watching);
    }

    async fn page(
        &mut self,
        ask: Ask<'_>,
        life: &mut Life,
    ) -> Result<(ResourceVersion, Option<Box<str>>), Stop> {
        let head = Deadline::each(self.options.response_timeout);
        let Opened { mut body, split } = self.open(ReflectorRequest::List, ask, &head).await?;
        life.accepted = Some(Instant::now());
        self.status.phase(Phase::Listing);

        let mut splitter = Splitter::list(split);
        loop {
            let deadline = Deadline::each(self.options.list_idle_timeout);
            life.last_sign = deadline.renewed();
            let chunk = deadline
                .guard(Awaited::Data, body.next())
                .await
                .map_err(|failure| Stop {
                    cause: Cause::Silent,
                    failure,
                })?;
            let Some(chunk) = chunk else { break };
            let chunk = chunk.map_err(|error| Stop {
                cause: Cause::Cut,
                failure: ReflectorFailure::Transport(error),
            })?;
            self.status.observed.received(chunk.len());
            splitter.push(&chunk);
            self.stage(&mut splitter).await?;
        }
        last_words(splitter)
    }

    /// Stages what is completely there.
    async fn stage(&mut self, splitter: &mut Splitter) -> Result<(), Stop> {
        while let Some(item) = splitter.next() {
            let object = item.map_err(broken)?.object;
            if object.name().is_some() {
                self.sink.stage(&object);
            } else {
                self.status.count_broken();
            }
            self.cooperate().await;
        }
        Ok(())
    }
}

fn last_words(splitter: Splitter) -> Result<(ResourceVersion, Option<Box<str>>), Stop> {
    let ListEnd {
        resource_version,
        continue_token,
        ..
    } = splitter.finish().map_err(broken)?;
    let version = resource_version.ok_or_else(|| broken("the list has no resourceVersion"))?;
    Ok((
        ResourceVersion::new(&version),
        continue_token.map(Into::into),
    ))
}

pub(super) fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Stop {
    Stop {
        cause: Cause::Broken,
        failure: ReflectorFailure::Malformed(error.into()),
    }
}
