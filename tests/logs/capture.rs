//! A subscriber that keeps everything, at every level.

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Metadata, span};

/// An event, or a span's begin.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) is_span: bool,
    pub(crate) level: String,
    pub(crate) target: String,
    /// The message of an event, the name of a span.
    pub(crate) message: String,
    pub(crate) fields: BTreeMap<String, String>,
}

#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<Line>>>);

impl Log {
    /// Captures what this thread logs, until the guard goes.
    pub(crate) fn capture() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let guard = tracing::subscriber::set_default(log.clone());
        (log, guard)
    }

    /// What Larder logged so far.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let lines = self.0.lock().unwrap().clone();
        let own = |line: &Line| line.target.starts_with("larder");
        lines.into_iter().filter(own).collect()
    }

    /// All of it as text, whoever logged it.
    pub(crate) fn text(&self) -> String {
        format!("{:#?}", self.0.lock().unwrap())
    }

    fn push(&self, is_span: bool, of: &Metadata<'_>, mut fields: BTreeMap<String, String>) {
        let message = fields.remove("message").filter(|_| !is_span);
        self.0.lock().unwrap().push(Line {
            is_span,
            level: of.level().to_string(),
            target: of.target().to_owned(),
            message: message.unwrap_or_else(|| of.name().to_owned()),
            fields,
        });
    }
}

#[derive(Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    /// Every way in which a subscriber may show an error.
    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let mut text = String::new();
        let mut error = Some(value);
        while let Some(cause) = error {
            let _ = write!(text, "{cause} {cause:?} {cause:#?} ");
            error = cause.source();
        }
        self.0.insert(field.name().to_owned(), text);
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        self.push(true, attributes.metadata(), fields.0);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        let mut lines = self.0.lock().unwrap();
        if let Some(span) = lines.iter_mut().rev().find(|line| line.is_span) {
            span.fields.extend(fields.0);
        }
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        self.push(false, event.metadata(), fields.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
