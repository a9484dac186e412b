//! The whole informer over a transport that answers at once: its reflectors, those who wait for it, its start and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_core::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use http::{Request, Response};
use shuttle::future::block_on;
use shuttle::thread;

use super::cluster::{Content, Number, PODS, json};
use super::ear::Ear;
use super::{LONG, explore};
use crate::handler::{Funcs, HandlerOptions};
use crate::identity::ResourceVersion;
use crate::informer::{Informer, InformerOptions, SyncError};
use crate::reflector::{Phase, ReflectorOptions};
use crate::transport::{BodyStream, Transport, TransportError};

/// Lists one object per namespace; its watches stay open and silent.
#[derive(Default)]
struct Server {
    open: Gauge,
}

/// How many of something there are.
#[derive(Clone, Default)]
struct Gauge(Arc<AtomicUsize>);

/// One of them.
struct Counted(Gauge);

impl Gauge {
    fn one(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Transport for Server {
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<'_, Result<Response<BodyStream>, TransportError>> {
        // From the request's beginning to its body's end.
        let open = self.open.one();
        let uri = request.uri();
        let watches = uri.query().is_some_and(|query| query.contains("watch="));
        let namespace = uri.path().split('/').nth(4).unwrap_or_default();
        let object = json(&format!("{namespace}/one"), namespace, 1);
        let list = format!(
            r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},"items":[{object}]}}"#
        );
        async move {
            // As an answer that does not come at once, so that others run before it does.
            shuttle::future::yield_now().await;
            let body: BodyStream = if watches {
                stream::pending().map(move |item| (item, &open).0).boxed()
            } else {
                let list = Ok(Bytes::from(list));
                stream::iter([list])
                    .map(move |item| (item, &open).0)
                    .boxed()
            };
            Ok(Response::new(body))
        }
        .boxed()
    }
}

fn options() -> InformerOptions<Number> {
    let reflector = ReflectorOptions::default().streaming_list(false);
    InformerOptions::new()
        .namespaces(["x", "y"])
        .reflector(reflector)
}

fn registered() -> (Informer<Number>, Gauge) {
    let server = Server::default();
    let open = server.open.clone();
    let (of_kind, defaults) = Default::default();
    let informer =
        Informer::registered(Arc::new(server), PODS, options(), of_kind, defaults).unwrap();
    (informer, open)
}

fn phases(informer: &Informer<Number>) -> Vec<Phase> {
    let sources = informer.health().sources;
    sources.iter().map(|source| source.phase).collect()
}

#[test]
fn c156_c140_all_who_wait_for_sync_wake() {
    explore(|| {
        let (informer, _) = registered();
        let waiters = [(); 3].map(|()| {
            let informer = informer.clone();
            thread::spawn(move || {
                block_on(informer.wait_for_sync(LONG)).unwrap();
                assert_eq!(informer.lister().list().unwrap().count(), 2);
            })
        });
        informer.start().unwrap();
        for waiter in waiters {
            waiter.join().unwrap();
        }
        block_on(informer.stop(LONG)).unwrap();
    });
}

#[test]
fn c140_all_who_wait_for_sync_wake_when_the_informer_stops() {
    explore(|| {
        let (informer, _) = registered();
        let waiters = [(); 2].map(|()| {
            let informer = informer.clone();
            thread::spawn(move || block_on(informer.wait_for_sync(LONG)))
        });
        informer.start().unwrap();
        block_on(informer.stop(LONG)).unwrap();
        for waiter in waiters {
            let waited = waiter.join().unwrap();
            assert!(matches!(waited, Ok(()) | Err(SyncError::Stopped { .. })));
        }
    });
}

#[test]
fn c116_c081_a_start_and_two_stops_at_once_leave_no_reflector_and_no_request() {
    explore(|| {
        let (informer, open) = registered();
        let handlers = Gauge::default();
        let alive = handlers.one();
        let handler = Funcs::new().on_add(move |_, _| assert_eq!(alive.0.get(), 1));
        let added = informer.add_handler(handler);
        let starter = {
            let informer = informer.clone();
            thread::spawn(move || informer.start().is_ok())
        };
        let stoppers = [(); 2].map(|()| {
            let (informer, open, handlers) = (informer.clone(), open.clone(), handlers.clone());
            thread::spawn(move || {
                block_on(informer.stop(LONG)).unwrap();
                assert_eq!(open.get(), 0, "a request outlived stop");
                assert_eq!(handlers.get(), 0, "a handler outlived stop");
                phases(&informer)
            })
        });
        let stopped = stoppers.map(|stopper| stopper.join().unwrap());
        let started = starter.join().unwrap();
        assert!(informer.start().is_err(), "it started again after its stop");
        assert_eq!(informer.health().started, started);
        for phases_then in stopped {
            assert_eq!(phases_then, phases(&informer), "a reflector outlived stop");
        }
        assert_eq!(open.get(), 0);
        assert_eq!(added.unwrap().stats().panics, 0);
    });
}

#[test]
fn c023_the_last_handle_to_go_ends_handlers_streams_and_reflectors() {
    explore(|| {
        let (informer, _) = registered();
        let registration = informer.add_handler(Funcs::new()).unwrap();
        let mut events = informer.events(HandlerOptions::default()).unwrap();
        informer.start().unwrap();
        let reader = thread::spawn(move || while block_on(events.next()).is_some() {});
        let handles =
            [informer.clone(), informer].map(|informer| thread::spawn(move || drop(informer)));
        for handle in handles {
            handle.join().unwrap();
        }
        reader.join().unwrap();
        block_on(registration.removed(LONG)).unwrap();
    });
}

#[test]
fn c041_namespaces_added_and_removed_at_once_end_with_their_objects_alone() {
    explore(|| {
        let (informer, _) = registered();
        let (handler, ear) = Ear::alone();
        informer.add_handler(handler).unwrap();
        informer.start().unwrap();
        let changes: [fn(&Informer<Number>) -> bool; 3] = [
            |informer| informer.add_namespace("z").unwrap(),
            |informer| informer.remove_namespace("x").unwrap(),
            |informer| informer.remove_namespace("x").unwrap(),
        ];
        let changes = changes.map(|change| {
            let informer = informer.clone();
            thread::spawn(move || change(&informer))
        });
        let [added, first, second] = changes.map(|change| change.join().unwrap());
        assert!(added && first != second, "each change happens once");
        block_on(informer.wait_for_sync(LONG)).unwrap();
        let end = Content::from([("y/one".to_owned(), 1), ("z/one".to_owned(), 1)]);
        ear.ends_with(&end);
        let mut keys: Vec<_> = informer.lister().list().unwrap().keys().collect();
        keys.sort();
        assert!(keys.iter().map(ToString::to_string).eq(end.into_keys()));
        block_on(informer.stop(LONG)).unwrap();
        ear.check();
    });
}

#[test]
fn c134_all_who_wait_for_a_version_wake_and_find_it() {
    explore(|| {
        let (informer, _) = registered();
        let waiters = [(); 2].map(|()| {
            let informer = informer.clone();
            thread::spawn(move || {
                let version = ResourceVersion::new("1");
                block_on(informer.wait_for_version(&version, LONG)).unwrap();
                assert_eq!(informer.store().len(), 2);
            })
        });
        informer.start().unwrap();
        for waiter in waiters {
            waiter.join().unwrap();
        }
        block_on(informer.stop(LONG)).unwrap();
    });
}
