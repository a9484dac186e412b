//! Every metric: its name, what it is and what it says.

/// What kind of metric, and its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A number that only goes up.
    Counter,
    /// The same, in bytes.
    Bytes,
    /// A number now.
    Gauge,
    /// A moment, in seconds since 1970; 0 where there is none.
    Moment,
    /// A distribution of seconds.
    Seconds,
}

/// One metric.
#[cfg_attr(
    not(feature = "metrics"),
    expect(dead_code, reason = "the feature reads it")
)]
pub(crate) struct Metric {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) help: &'static str,
}

macro_rules! metrics {
    ($($constant:ident = $shape:ident $name:literal $help:literal;)*) => {
        $(pub(crate) const $constant: Metric = Metric { name: $name, shape: Shape::$shape, help: $help };)*

        #[cfg(feature = "metrics")]
        const ALL: &[Metric] = &[$($constant),*];
    };
}

metrics! {
    OBJECTS = Gauge "larder_store_objects" "Objects in the store";
    PUBLISHES = Counter "larder_store_publishes_total" "States that the store showed to its readers";
    SYNCED = Gauge "larder_informer_synced" "1 once every source delivered its first complete listing, else 0";
    SOURCES = Gauge "larder_informer_sources" "Lists and watches that run: one for all namespaces, or one per namespace";
    HANDLERS = Gauge "larder_informer_handlers" "Handlers and event streams";
    REQUESTS = Counter "larder_requests_total" "Requests made, each page of a list counted";
    REQUESTS_ENDED = Counter "larder_requests_ended_total" "Requests that are over, by how they ended";
    RECEIVED = Bytes "larder_received_bytes_total" "Bytes of lists and watches, as the transport delivers them";
    EVENTS = Counter "larder_watch_events_total" "Events of watches and streaming lists";
    LISTING = Seconds "larder_listing_duration_seconds" "How long complete listings took, retries included";
    RELISTS = Counter "larder_relists_total" "Complete listings after a source's first one";
    BACKOFFS = Counter "larder_backoffs_total" "Waits before trying again";
    DECODE_FAILURES = Counter "larder_decode_failures_total" "Received objects that were not stored, as they do not decode or exceed a limit";
    REFUSALS = Counter "larder_transform_refusals_total" "Received objects that were not stored, as the transform refused them";
    BROKEN = Counter "larder_broken_events_total" "Watch events and listed objects that could not be understood at all";
    REFLECTOR_PANICS = Counter "larder_reflector_panics_total" "Reflectors that ended by a panic; their objects stay as they are";
    STALE_SINCE = Moment "larder_source_stale_since_timestamp_seconds" "Since when the objects may lag behind the server, 0 while they do not";
    LISTED_AT = Moment "larder_source_listed_timestamp_seconds" "When the last complete listing ended, 0 before";
    HEARD_AT = Moment "larder_source_heard_timestamp_seconds" "When the server last sent anything, 0 before";
    HANDLER_SYNCED = Gauge "larder_handler_synced" "1 once the handler consumed the initial objects, else 0";
    QUEUE = Gauge "larder_handler_queue_length" "Events that wait for the handler";
    DELIVERED = Counter "larder_handler_delivered_total" "Events given to the handler, resyncs included";
    MERGED = Counter "larder_handler_merged_total" "Events that a full queue merged into another of their object";
    DROPPED_PAIRS = Counter "larder_handler_dropped_pairs_total" "Objects that came and went unheard of while the queue was full";
    PANICS = Counter "larder_handler_panics_total" "Calls of the handler that panicked";
    RESYNCS = Counter "larder_handler_resyncs_total" "Resyncs that were carried through";
    CALLS = Seconds "larder_handler_call_duration_seconds" "How long the handler's calls took; event streams have none";
}

/// Says to the recorder what each metric is. Recorders keep one description per name, however often they are told.
#[cfg(feature = "metrics")]
pub(super) fn describe() {
    use metrics::Unit;

    metrics::with_recorder(|recorder| {
        for metric in ALL {
            let (name, help) = (metric.name.into(), metric.help.into());
            match metric.shape {
                Shape::Counter => recorder.describe_counter(name, Some(Unit::Count), help),
                Shape::Bytes => recorder.describe_counter(name, Some(Unit::Bytes), help),
                Shape::Gauge => recorder.describe_gauge(name, Some(Unit::Count), help),
                Shape::Moment => recorder.describe_gauge(name, Some(Unit::Seconds), help),
                Shape::Seconds => recorder.describe_histogram(name, Some(Unit::Seconds), help),
            }
        }
    });
}
