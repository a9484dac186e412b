//! A kind that comes and goes at random while requests for it, and for discovery, fail at random.

use larder::{InformerOptions, ReflectorOptions};
use larder_sim::{Fault, Sim, Status, Verb};
use std::time::Duration;

use crate::bench::{begun, held, install, kind, stored, told, uninstall, widget};
use crate::fold::Fold;
use crate::support::{client, seed, settle, until};

fn fault(random: &mut fastrand::Rng) -> Fault {
    let fault = match random.u8(..8) {
        0 => Fault::not_served(),
        1 => Fault::status(Status::new(404, "NotFound", "gone")),
        2 => Fault::unavailable(),
        3 => Fault::forbidden(),
        4 => Fault::refuse(),
        5 => Fault::delay(Duration::from_secs(random.u64(..40))),
        6 => Fault::gone(),
        _ => Fault::cut_after(random.usize(..3)),
    };
    let fault = match random.u8(..4) {
        0 => fault.on(Verb::Watch),
        1 => fault.on(Verb::List),
        2 => fault.on(Verb::Other),
        _ => fault.on(Verb::Watch).on(Verb::List).on(Verb::Other),
    };
    fault.times(random.usize(1..20))
}

fn step(sim: &Sim, random: &mut fastrand::Rng, served: &mut bool) {
    let name = format!("w{}", random.u8(..6));
    let namespace = if random.bool() { "a" } else { "b" };
    match random.u8(..12) {
        0 if *served => {
            uninstall(sim);
            *served = false;
        }
        0 | 1 if !*served => {
            install(sim, &[]);
            *served = true;
        }
        2 => {
            sim.faults().add(fault(random));
        }
        3 => sim.disconnect(),
        4 if *served => {
            sim.compact();
        }
        5 | 6 if *served => drop(sim.delete("widgets", namespace, &name)),
        7..=9 if *served => drop(sim.create(widget(namespace, &name))),
        10 => sim.faults().clear(),
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn c077_whatever_happened_store_and_handler_end_as_the_server() {
    let mut random = fastrand::Rng::with_seed(seed());
    for round in 0..30 {
        let sim = Sim::builder().kind(kind()).build();
        let reflector = match round % 3 {
            0 => ReflectorOptions::default(),
            1 => ReflectorOptions::default().streaming_list(false),
            _ => ReflectorOptions::default()
                .streaming_list(false)
                .page_size(2),
        };
        let mut options = InformerOptions::new().reflector(reflector);
        if random.bool() {
            options = options.namespaces(["a", "b"]);
        }
        let widgets = begun(client(&sim), options);
        let fold = Fold::default();
        let _registration = widgets.add_handler(fold.clone()).unwrap();
        let mut served = true;
        for _ in 0..60 {
            step(&sim, &mut random, &mut served);
            if random.bool() {
                tokio::time::sleep(Duration::from_millis(random.u64(..20_000))).await;
            }
        }
        sim.faults().clear();
        if !served {
            until("the kind's objects are gone", || {
                !widgets.has_synced() || widgets.store().is_empty()
            })
            .await;
            install(&sim, &["last"]);
        }
        until("store = server", || stored(&widgets) == held(&sim)).await;
        settle().await;
        let keys: Vec<String> = held(&sim).into_keys().collect();
        assert_eq!(told(&fold), keys, "round {round}");
    }
}
