//! Handles of single metrics: those of the `metrics` crate, or nothing where the feature is off.

#[cfg(not(feature = "metrics"))]
pub(crate) use off::{Counter, Gauge, Histogram, Labels, Stopwatch};
#[cfg(feature = "metrics")]
pub(crate) use on::{Counter, Gauge, Histogram, Labels, Stopwatch};

#[cfg(feature = "metrics")]
mod on {
    use std::time::{Instant, SystemTime, UNIX_EPOCH};

    use metrics::{Key, Label, Level, Metadata, with_recorder};

    use super::super::table::{self, Metric};

    const METADATA: Metadata<'_> =
        Metadata::new("larder_runtime", Level::INFO, Some("larder_runtime"));

    /// The labels that the metrics of one part share.
    #[derive(Clone, Default)]
    pub(crate) struct Labels(Vec<Label>);

    impl Labels {
        /// No label; says to the recorder what each metric is.
        pub(crate) fn described() -> Self {
            table::describe();
            Self::default()
        }

        pub(crate) fn with(&self, name: &'static str, value: &str) -> Self {
            let mut labels = self.0.clone();
            labels.push(Label::new(name, value.to_owned()));
            Self(labels)
        }

        fn key(&self, metric: &Metric) -> Key {
            Key::from_parts(metric.name, self.0.clone())
        }
    }

    #[derive(Clone)]
    pub(crate) struct Counter(metrics::Counter);

    impl Counter {
        pub(crate) fn new(metric: &Metric, labels: &Labels) -> Self {
            let key = labels.key(metric);
            Self(with_recorder(|recorder| {
                recorder.register_counter(&key, &METADATA)
            }))
        }

        #[inline]
        pub(crate) fn add(&self, count: u64) {
            self.0.increment(count);
        }
    }

    #[derive(Clone)]
    pub(crate) struct Gauge(metrics::Gauge);

    impl Gauge {
        pub(crate) fn new(metric: &Metric, labels: &Labels) -> Self {
            let key = labels.key(metric);
            let gauge = with_recorder(|recorder| recorder.register_gauge(&key, &METADATA));
            gauge.set(0.0);
            Self(gauge)
        }

        #[inline]
        pub(crate) fn set(&self, value: usize) {
            self.0.set(value as f64);
        }

        pub(crate) fn up(&self) {
            self.0.increment(1.0);
        }

        pub(crate) fn down(&self) {
            self.0.decrement(1.0);
        }

        /// The moment now, in seconds since 1970.
        pub(crate) fn set_now(&self) {
            self.0.set(unix_seconds());
        }

        /// The moment of the process's monotonic clock, in seconds since 1970.
        pub(crate) fn set_moment(&self, moment: tokio::time::Instant) {
            self.0.set(unix_seconds() - moment.elapsed().as_secs_f64());
        }
    }

    fn unix_seconds() -> f64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.unwrap_or_default().as_secs_f64()
    }

    #[derive(Clone)]
    pub(crate) struct Histogram(metrics::Histogram);

    impl Histogram {
        pub(crate) fn new(metric: &Metric, labels: &Labels) -> Self {
            let key = labels.key(metric);
            Self(with_recorder(|recorder| {
                recorder.register_histogram(&key, &METADATA)
            }))
        }

        pub(crate) fn record(&self, seconds: f64) {
            self.0.record(seconds);
        }

        #[inline]
        pub(crate) fn stop(&self, watch: &Stopwatch) {
            self.0.record(watch.0.elapsed().as_secs_f64());
        }
    }

    /// When something began.
    pub(crate) struct Stopwatch(Instant);

    impl Stopwatch {
        #[inline]
        pub(crate) fn start() -> Self {
            Self(Instant::now())
        }
    }
}

#[cfg(not(feature = "metrics"))]
mod off {
    use super::super::table::Metric;

    #[derive(Clone, Default)]
    pub(crate) struct Labels;

    impl Labels {
        pub(crate) fn described() -> Self {
            Self
        }

        pub(crate) fn with(&self, _: &'static str, _: &str) -> Self {
            Self
        }
    }

    #[derive(Clone)]
    pub(crate) struct Counter;

    impl Counter {
        pub(crate) fn new(_: &Metric, _: &Labels) -> Self {
            Self
        }

        #[inline]
        pub(crate) fn add(&self, _: u64) {}
    }

    #[derive(Clone)]
    pub(crate) struct Gauge;

    impl Gauge {
        pub(crate) fn new(_: &Metric, _: &Labels) -> Self {
            Self
        }

        #[inline]
        pub(crate) fn set(&self, _: usize) {}

        pub(crate) fn up(&self) {}

        pub(crate) fn down(&self) {}

        pub(crate) fn set_now(&self) {}

        pub(crate) fn set_moment(&self, _: tokio::time::Instant) {}
    }

    #[derive(Clone)]
    pub(crate) struct Histogram;

    impl Histogram {
        pub(crate) fn new(_: &Metric, _: &Labels) -> Self {
            Self
        }

        pub(crate) fn record(&self, _: f64) {}

        #[inline]
        pub(crate) fn stop(&self, _: &Stopwatch) {}
    }

    pub(crate) struct Stopwatch;

    impl Stopwatch {
        #[inline]
        pub(crate) fn start() -> Self {
            Self
        }
    }
}
