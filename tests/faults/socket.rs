//! Over a real socket and in real time: a client made of a `kube::Config`.

use std::time::Duration;

use larder::core::v1::PodInformer;
use larder::{InformerOptions, ReflectorOptions};
use larder_sim::{Fault, Listening, Sim};

use crate::bench::equal;
use crate::support::{SOON, cluster, pod};

async fn served(sim: &Sim) -> (Listening, kube::Client) {
    let listening = sim.listen().await.unwrap();
    let config = kube::Config::new(listening.url().parse().unwrap());
    let client = larder::client_from_config(config).unwrap();
    (listening, client)
}

async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(SOON, waiting).await.is_err() {
        panic!("{what} did not happen");
    }
}

#[tokio::test]
async fn c086_c155_over_a_socket_cuts_compaction_and_silence_are_overcome() {
    let sim = cluster((0..50).map(|number| pod("a", &format!("p{number}"))));
    let (listening, client) = served(&sim).await;
    let options = ReflectorOptions::default().backoff(|| {
        larder::ExponentialBackoff::new(Duration::from_millis(5), Duration::from_millis(50))
    });
    let pods = PodInformer::new(client, InformerOptions::new().reflector(options)).unwrap();
    pods.wait_for_sync(SOON).await.unwrap();
    for round in 0..5 {
        sim.faults().add(Fault::cut_within(round).times(1));
        sim.change_unseen(|sim| {
            sim.delete_now("pods", "a", &format!("p{round}")).unwrap();
            sim.create(pod("b", &format!("new{round}"))).unwrap();
        });
        sim.faults().add(Fault::refuse().times(1));
        equal(&sim, &pods).await;
    }
    drop(listening);
    until("its loss shows", || pods.health().stale_since.is_some()).await;
    assert_eq!(pods.store().len(), 50, "what was known is served");
    pods.stop(SOON).await.unwrap();
}
