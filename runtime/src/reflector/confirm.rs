//! Carries out what follows a 404: asking discovery, and letting go of a kind that is not served.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::{ReflectorError, ReflectorFailure, ReflectorRequest};
use super::run::Driver;
use super::step::{Outcome, Verdict};
use crate::discovery::{self, Discovery, Presence};

/// What a reflector does about the absence of its kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct OnAbsence {
    /// Whether it ends, rather than to wait for the kind.
    pub(crate) stop: bool,
    /// Cancelled by the first of an informer's reflectors that ends so: the others take its word, as the kind is one.
    pub(crate) gone: CancellationToken,
    /// Who is to forget the kind.
    pub(crate) discovery: Option<Discovery>,
}

impl Driver {
    /// Asks discovery whether the kind is served.
    pub(super) async fn confirm(&mut self) {
        let kind = &self.target.kind;
        let deadline = self.options.response_timeout;
        let verdict = match discovery::presence(&*self.transport, kind, deadline).await {
            Presence::Served => Verdict::Served,
            Presence::NotServed { served } => {
                self.served = served;
                Verdict::NotServed
            }
            Presence::Refused(error) => {
                tracing::debug!(%kind, %error, "discovery is not allowed");
                Verdict::Refused
            }
            Presence::Unknown(error) => {
                tracing::debug!(%kind, %error, "discovery does not tell");
                Verdict::Unknown
            }
        };
        self.machine.on(Outcome::Confirmed(verdict));
        if verdict == Verdict::NotServed {
            if let Some(discovery) = &self.on_absence.discovery {
                discovery.forget(&self.target.kind);
            }
            self.report_absence();
        }
    }

    /// The kind is absent: what was listed of it goes.
    pub(super) fn vanish(&mut self) {
        self.unflushed = false;
        self.sink.vanish();
        self.machine.on(Outcome::Vanished);
        self.report_absence();
        self.status.phase(super::Phase::Absent);
        let namespace = self.target.namespace();
        let (kind, informer) = (&self.target.kind, self.informer());
        tracing::warn!(%kind, %informer, namespace, "the kind is absent; its objects are taken as deleted");
    }

    /// The failure of a request that was answered 404, as far as it is understood.
    pub(super) fn absent(&self) -> ReflectorFailure {
        ReflectorFailure::Absent {
            api_version: self.target.kind.api_version(),
            plural: self.target.kind.plural().to_owned(),
            served: self.served.clone(),
        }
    }

    fn report_absence(&self) {
        let namespace = self.target.namespace().map(str::to_owned);
        let kind = self.target.kind.clone();
        let error = ReflectorError::new(ReflectorRequest::List, kind, namespace, self.absent());
        self.status.failed(error.into(), Instant::now());
    }
}
