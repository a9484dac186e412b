//! What stands behind `crate::sync` in a model: the scheduler may switch tasks at each operation.
//!
//! Left out: `ArcSwap` is a pointer under a lock, so the model says nothing about arc-swap itself, and a channel's operation
//! is one step, as tokio's own models check its inside. All is sequentially consistent: no weaker memory order is tried.
//! Deadlines never pass, since nothing drives the clock of the tokio runtime in here; a handler's timers fire at once, as
//! often as [`let_timers_fire`] says. The runtime never ends, so nobody watches over its end.

use std::cell::Cell;
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use shuttle::sync::atomic::{AtomicUsize, Ordering};
pub(crate) use shuttle::sync::{Mutex, MutexGuard};
use tokio::runtime::Handle;

/// A place where the scheduler may switch to another task.
#[derive(Default)]
struct Point(AtomicUsize);

impl Point {
    fn pass(&self) {
        self.0.load(Ordering::SeqCst);
    }
}

pub(crate) struct ArcSwap<T>(Mutex<Arc<T>>);

pub(crate) struct Loaded<T>(Arc<T>);

impl<T> Deref for Loaded<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T> ArcSwap<T> {
    pub(crate) fn from_pointee(value: T) -> Self {
        Self(Mutex::new(Arc::new(value)))
    }

    pub(crate) fn load_full(&self) -> Arc<T> {
        Arc::clone(&self.0.lock().unwrap())
    }

    pub(crate) fn load(&self) -> Loaded<T> {
        Loaded(self.load_full())
    }

    pub(crate) fn store(&self, new: Arc<T>) {
        drop(self.swap(new));
    }

    pub(crate) fn swap(&self, new: Arc<T>) -> Arc<T> {
        std::mem::replace(&mut *self.0.lock().unwrap(), new)
    }
}

pub(crate) fn spawn(_: &Handle, task: impl Future<Output = ()> + Send + 'static) {
    drop(shuttle::future::spawn(task));
}

thread_local! {
    static FIRINGS: Cell<u32> = const { Cell::new(0) };
}

/// How many of the timers that are polled from now on fire; the others never do.
pub(crate) fn let_timers_fire(times: u32) {
    FIRINGS.set(times);
}

pub(crate) struct Sleep;

pub(crate) fn sleep(_: Duration) -> Sleep {
    Sleep
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match FIRINGS.get() {
            0 => Poll::Pending,
            left => {
                FIRINGS.set(left - 1);
                Poll::Ready(())
            }
        }
    }
}

/// Tokio's channel of one value.
pub(crate) mod watch {
    use std::fmt;
    use std::sync::Arc;

    use tokio::sync::watch;
    pub(crate) use watch::{Ref, error};

    use super::Point;

    #[derive(Clone)]
    pub(crate) struct Sender<T>(watch::Sender<T>, Arc<Point>);

    pub(crate) struct Receiver<T>(watch::Receiver<T>, Arc<Point>);

    impl<T> Sender<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(watch::Sender::new(value), Arc::default())
        }

        pub(crate) fn subscribe(&self) -> Receiver<T> {
            self.1.pass();
            Receiver(self.0.subscribe(), Arc::clone(&self.1))
        }

        pub(crate) fn borrow(&self) -> Ref<'_, T> {
            self.1.pass();
            self.0.borrow()
        }

        pub(crate) fn send_modify(&self, modify: impl FnOnce(&mut T)) {
            self.1.pass();
            self.0.send_modify(modify);
        }

        pub(crate) fn send_replace(&self, value: T) -> T {
            self.1.pass();
            self.0.send_replace(value)
        }
    }

    impl<T> Receiver<T> {
        pub(crate) async fn changed(&mut self) -> Result<(), error::RecvError> {
            self.1.pass();
            self.0.changed().await
        }

        pub(crate) async fn wait_for(
            &mut self,
            wanted: impl FnMut(&T) -> bool,
        ) -> Result<Ref<'_, T>, error::RecvError> {
            self.1.pass();
            self.0.wait_for(wanted).await
        }
    }

    impl<T> fmt::Debug for Sender<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Sender(..)")
        }
    }
}
