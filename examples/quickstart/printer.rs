//! The handler: prints what it is told, and counts it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::core::v1::{Pod, PodEventHandler, pod};
use larder::{Seen, Tombstone};

/// Prints a line per change; the first listing and resyncs are only counted.
#[derive(Default, Clone)]
pub(crate) struct Printer(Arc<Counts>);

#[derive(Default)]
struct Counts {
    initial: AtomicUsize,
    added: AtomicUsize,
    updated: AtomicUsize,
    deleted: AtomicUsize,
}

impl Printer {
    pub(crate) fn told(&self) -> String {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        format!(
            "{} initial adds, {} adds, {} updates, {} deletes",
            read(&self.0.initial),
            read(&self.0.added),
            read(&self.0.updated),
            read(&self.0.deleted)
        )
    }
}

fn phase(pod: &Pod) -> &str {
    pod.status
        .as_ref()
        .and_then(|status| status.phase.as_deref())
        .unwrap_or("-")
}

impl PodEventHandler for Printer {
    fn on_add(&self, pod: &Seen<pod::Full>, initial: bool) {
        if initial {
            self.0.initial.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.0.added.fetch_add(1, Ordering::Relaxed);
        println!("+ {} {}", pod.key(), phase(&pod.object()));
    }

    fn on_update(&self, old: &Seen<pod::Full>, new: &Seen<pod::Full>) {
        if old.version() == new.version() {
            return;
        }
        self.0.updated.fetch_add(1, Ordering::Relaxed);
        println!(
            "~ {} {} -> {}",
            new.key(),
            phase(&old.object()),
            phase(&new.object())
        );
    }

    fn on_delete(&self, pod: &Tombstone<pod::Full>) {
        self.0.deleted.fetch_add(1, Ordering::Relaxed);
        println!("- {} was {}", pod.key(), phase(&pod.last_known()));
    }
}
