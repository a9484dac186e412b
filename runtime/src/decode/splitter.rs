//! One object at a time out of the body of a list or a watch, as it arrives.

use super::envelope::{Envelope, Event, List, Member};
use super::index::MAX_BYTES;
use super::notes::is_white;
use super::raw::RawObject;
use super::scanner::{Broken, Scanner};
use super::split_types::{EventType, Item, ListEnd, SplitError, SplitOptions};
use super::text::unescape;

/// Cuts the body of one response into objects.
///
/// [`push`](Self::push) bytes as they arrive, take objects with [`next`](Self::next) until it has none,
/// [`finish`](Self::finish) at the end of the body. A list ends with its first error; a watch skips to the next line
/// and goes on.
pub(crate) struct Splitter {
    envelope: Envelope,
    options: SplitOptions,
    /// What was pushed and is still needed.
    buffer: Vec<u8>,
    /// The offset of the buffer in the body.
    offset: u64,
    /// The next byte to look at; while a string or value is scanned, its first one.
    at: usize,
    /// Where the event that is being read begins.
    event_start: usize,
    state: State,
    /// Why a list failed.
    failure: Option<SplitError>,
    /// The member of the list or event that is being read.
    member: Member,
    /// Scans items, and the objects of events.
    objects: Scanner,
    /// Scans everything else.
    others: Scanner,
}

#[derive(Clone, Copy)]
enum State {
    /// Before a list, or before an event.
    Start,
    Key {
        first: bool,
    },
    InKey,
    Colon,
    Value,
    /// Inside a member's value.
    InValue,
    AfterValue,
    /// Before an item, or the end of the items.
    Item {
        first: bool,
    },
    InItem,
    AfterItem,
    /// Behind the list.
    End,
    /// Behind a broken event, in search of a line that begins with a bracket.
    Resync {
        line_start: bool,
    },
    /// Behind what ended a list.
    Failed,
}

/// What looking at the next token led to.
enum Step {
    Next(State),
    /// The bytes do not suffice.
    More,
    Yield {
        state: State,
        from: usize,
        to: usize,
        event: Option<EventType>,
    },
    Fail(SplitError),
}

impl Splitter {
    /// For the body of a list.
    pub(crate) fn list(options: SplitOptions) -> Self {
        Self::new(Envelope::List(List::default()), options)
    }

    /// For the body of a watch.
    pub(crate) fn watch(options: SplitOptions) -> Self {
        Self::new(Envelope::Watch(Event::default()), options)
    }

    fn new(envelope: Envelope, mut options: SplitOptions) -> Self {
        options.max_object_bytes = options.max_object_bytes.min(MAX_BYTES);
        let lines = matches!(envelope, Envelope::Watch(_));
        Self {
            envelope,
            options,
            buffer: Vec::new(),
            offset: 0,
            at: 0,
            event_start: 0,
            state: State::Start,
            failure: None,
            member: Member::Other,
            objects: Scanner::new(!options.keep_managed_fields, lines),
            others: Scanner::new(false, lines),
        }
    }

    /// Adds bytes of the body. Take what can be taken before adding more: what is not taken is held.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        const KEPT: usize = 256 * 1024;
        let done = self.kept_from();
        self.buffer.drain(..done);
        self.offset += done as u64;
        self.at -= done;
        self.event_start = self.event_start.saturating_sub(done);
        if self.buffer.capacity() > KEPT && self.buffer.len() + chunk.len() < KEPT / 4 {
            self.buffer.shrink_to(KEPT);
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// The next object that is completely there. `None`: push more, or finish.
    ///
    /// An error of a watch concerns one event, whose content is lost, and the next call goes on behind it. An error
    /// of a list is the last thing it yields.
    pub(crate) fn next(&mut self) -> Option<Result<Item<'_>, SplitError>> {
        loop {
            match self.step() {
                Step::Next(state) => self.state = state,
                Step::More => return None,
                Step::Fail(error) => return Some(Err(self.fail(error))),
                Step::Yield {
                    state,
                    from,
                    to,
                    event,
                } => {
                    self.state = state;
                    let bytes = self.buffer.get(from..to).unwrap_or_default();
                    let object =
                        RawObject::new(self.options.content_type, bytes, self.objects.index());
                    return Some(Ok(Item { event, object }));
                }
            }
        }
    }

    /// How many bytes are held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.buffer.len()
    }

    /// The body has ended: what the list said about itself.
    ///
    /// # Errors
    ///
    /// When the body ended too early, was no list, or had failed before.
    pub(crate) fn finish(mut self) -> Result<ListEnd, SplitError> {
        self.skip_white();
        if let Some(error) = self.failure {
            return Err(error);
        }
        match (self.envelope, self.state) {
            (Envelope::List(list), State::End) => list.end(),
            (Envelope::Watch(_), State::Start) if self.at == self.buffer.len() => {
                Ok(ListEnd::default())
            }
            _ => Err(SplitError::Truncated),
        }
    }

    fn step(&mut self) -> Step {
        match self.state {
            State::Failed => return Step::More,
            State::Resync { line_start } => return self.resync(line_start),
            State::InKey | State::InValue | State::InItem => return self.scan(),
            _ => self.skip_white(),
        }
        let Some(&byte) = self.buffer.get(self.at) else {
            return self.more();
        };
        match (self.state, byte) {
            (State::Start, _) => self.start(byte),
            (State::Key { first: true } | State::AfterValue, b'}') => self.end_of_object(),
            (State::AfterValue, b',') => self.past(State::Key { first: false }),
            (State::Key { .. }, b'"') => self.begin(State::InKey),
            (State::Key { .. }, _) => self.malformed(self.at, "a key"),
            (State::Colon, b':') => self.past(State::Value),
            (State::Colon, _) => self.malformed(self.at, "`:`"),
            (State::Item { first: true } | State::AfterItem, b']') => self.past(State::AfterValue),
            (State::AfterItem, b',') => self.past(State::Item { first: false }),
            (State::Value | State::Item { .. }, b']' | b'}' | b',' | b':') => {
                self.malformed(self.at, "a value")
            }
            (State::Value, b'[') if self.member == Member::Items => {
                if let Envelope::List(list) = &mut self.envelope {
                    list.has_items = true;
                }
                self.past(State::Item { first: true })
            }
            (State::Value, _) => self.begin(State::InValue),
            (State::Item { .. }, _) => self.begin(State::InItem),
            (State::AfterValue, _) => self.malformed(self.at, "`,` or `}`"),
            (State::AfterItem, _) => self.malformed(self.at, "`,` or `]`"),
            _ => self.malformed(self.at, "nothing after the list"),
        }
    }

    fn start(&mut self, byte: u8) -> Step {
        self.event_start = self.at;
        match &mut self.envelope {
            Envelope::List(_) if byte != b'{' => return Step::Fail(SplitError::NotAList),
            Envelope::Watch(_) if byte != b'{' => return self.malformed(self.at, "`{`"),
            Envelope::List(_) => {}
            Envelope::Watch(event) => *event = Event::default(),
        }
        self.past(State::Key { first: true })
    }

    /// Consumes one byte.
    fn past(&mut self, state: State) -> Step {
        self.at += 1;
        Step::Next(state)
    }

    fn begin(&mut self, state: State) -> Step {
        self.scanner(state).start();
        Step::Next(state)
    }

    fn scanner(&mut self, state: State) -> &mut Scanner {
        let object = match state {
            State::InItem => true,
            State::InValue => self.member == Member::Object,
            _ => false,
        };
        if object {
            &mut self.objects
        } else {
            &mut self.others
        }
    }

    /// Goes on in a key, a value or an item.
    fn scan(&mut self) -> Step {
        let state = self.state;
        let from = self.at;
        let buffer = std::mem::take(&mut self.buffer);
        let scanned = self
            .scanner(state)
            .advance(buffer.get(from..).unwrap_or_default());
        self.buffer = buffer;
        let end = match scanned {
            Err(Broken { at, expected }) => return self.malformed(from + at, expected),
            Ok(length) => length.map(|length| from + length),
        };
        let Some(end) = end else {
            return self.more();
        };
        if let Some(error) = self.too_large(end) {
            return Step::Fail(error);
        }
        self.at = end;
        match state {
            State::InKey => self.key(from, end),
            State::InItem => {
                let from = from + self.cut(from, end);
                Step::Yield {
                    state: State::AfterItem,
                    from,
                    to: end,
                    event: None,
                }
            }
            _ => self.value(from, end),
        }
    }

    fn cut(&mut self, from: usize, end: usize) -> usize {
        let object = self.buffer.get_mut(from..end).unwrap_or_default();
        self.objects.cut_managed_fields(object)
    }

    fn key(&mut self, from: usize, end: usize) -> Step {
        let raw = self.buffer.get(from + 1..end - 1).unwrap_or_default();
        self.member = self.envelope.member(unescape(raw).as_deref());
        Step::Next(State::Colon)
    }

    fn value(&mut self, from: usize, end: usize) -> Step {
        if self.member == Member::Object {
            let from = from + self.cut(from, end);
            if let Envelope::Watch(event) = &mut self.envelope {
                event.object = Some((from - self.event_start, end - self.event_start));
            }
            return Step::Next(State::AfterValue);
        }
        let bytes = self.buffer.get(from..end).unwrap_or_default();
        let tape = &self.others.index().tape;
        match self.envelope.read(self.member, bytes, tape) {
            Ok(()) => Step::Next(State::AfterValue),
            Err(error) => Step::Fail(error),
        }
    }

    fn end_of_object(&mut self) -> Step {
        self.at += 1;
        let Envelope::Watch(event) = self.envelope else {
            return Step::Next(State::End);
        };
        if let Some(error) = self.too_large(self.at) {
            return Step::Fail(error);
        }
        let Event {
            kind: Some(kind),
            object: Some((from, to)),
        } = event
        else {
            self.state = State::Start;
            let position = self.offset + self.at as u64;
            return Step::Fail(SplitError::NotAnEvent { position });
        };
        Step::Yield {
            state: State::Start,
            from: self.event_start + from,
            to: self.event_start + to,
            event: Some(kind),
        }
    }

    /// Asks for more bytes, unless there are too many already.
    fn more(&self) -> Step {
        self.too_large(self.buffer.len())
            .map_or(Step::More, Step::Fail)
    }

    /// The error for an object, event or token that reaches up to `end` at least.
    fn too_large(&self, end: usize) -> Option<SplitError> {
        let begin = self.kept_from();
        let limit = self.options.max_object_bytes;
        (end - begin > limit).then(|| SplitError::TooLarge {
            limit,
            position: self.offset + begin as u64,
            key: self.key_so_far(),
        })
    }

    /// Namespace and name of the object that is being scanned, as far as they are known: of a key no longer than keys are.
    fn key_so_far(&self) -> Option<Box<str>> {
        const LONGEST: usize = 63 + 1 + 253;
        let scanned = match self.state {
            State::InItem => true,
            State::InValue => self.member == Member::Object,
            _ => false,
        };
        let bytes = self.buffer.get(self.at..).filter(|_| scanned)?;
        let object = RawObject::new(self.options.content_type, bytes, self.objects.index());
        let name = object.name()?;
        let key = match object.namespace() {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.into_owned(),
        };
        (key.len() <= LONGEST).then(|| key.into())
    }

    fn malformed(&self, at: usize, expected: &'static str) -> Step {
        let position = self.offset + at as u64;
        Step::Fail(SplitError::Malformed { position, expected })
    }

    fn fail(&mut self, error: SplitError) -> SplitError {
        if matches!(self.envelope, Envelope::List(_)) {
            self.state = State::Failed;
            self.failure = Some(error.clone());
        } else if !matches!(error, SplitError::NotAnEvent { .. }) {
            // From the start of the event, not from the error: what is missing may be the rest of its line, and then
            // the error is noticed only in the events after it.
            self.at = self.event_start;
            self.state = State::Resync { line_start: false };
        }
        error
    }

    /// Servers write each event on a line of its own, without line breaks in it.
    fn resync(&mut self, line_start: bool) -> Step {
        let rest = self.buffer.get(self.at..).unwrap_or_default();
        if line_start {
            return match rest.first() {
                None => Step::More,
                Some(b'{') => Step::Next(State::Start),
                Some(_) => Step::Next(State::Resync { line_start: false }),
            };
        }
        if let Some(length) = memchr::memchr(b'\n', rest) {
            self.at += length + 1;
            return Step::Next(State::Resync { line_start: true });
        }
        self.at = self.buffer.len();
        self.state = State::Resync { line_start };
        Step::More
    }

    /// Everything before this is no longer needed.
    fn kept_from(&self) -> usize {
        let in_event = !matches!(self.state, State::Start | State::Resync { .. });
        match self.envelope {
            Envelope::Watch(_) if in_event => self.event_start,
            _ => self.at,
        }
    }

    fn skip_white(&mut self) {
        while self.buffer.get(self.at).copied().is_some_and(is_white) {
            self.at += 1;
        }
    }
}
