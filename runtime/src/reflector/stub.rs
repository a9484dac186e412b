#![allow(missing_docs, dead_code)]
use crate::identity::ResourceVersion;
use crate::kind::Kind;
use std::sync::Arc;
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct ReflectorError;
#[derive(Debug, Clone, Default)]
pub struct ReflectorOptions;
#[derive(Debug, Clone, Copy)]
pub enum Phase {
    Starting,
}
pub(crate) struct SourceStatus;
pub(crate) struct Snap {
    pub phase: Phase,
    pub stale_since: Option<tokio::time::Instant>,
    pub relists: u64,
    pub last_error: Option<Arc<ReflectorError>>,
    pub last_version: Option<ResourceVersion>,
}
impl SourceStatus {
    pub(crate) fn new(_: tokio::sync::watch::Sender<()>) -> Self {
        Self
    }
    pub(crate) fn last_error(&self) -> Option<Arc<ReflectorError>> {
        None
    }
    pub(crate) fn snapshot(&self) -> Snap {
        Snap {
            phase: Phase::Starting,
            stale_since: None,
            relists: 0,
            last_error: None,
            last_version: None,
        }
    }
}
pub(crate) struct Target {
    pub kind: Kind,
    pub namespace: Option<String>,
    pub label_selector: Option<String>,
    pub field_selector: Option<String>,
}
pub(crate) async fn run(
    _: Arc<dyn crate::Transport>,
    _: Target,
    _: Box<dyn crate::sink::Sink>,
    _: Arc<ReflectorOptions>,
    _: Arc<SourceStatus>,
    _: tokio_util::sync::CancellationToken,
) {
}
