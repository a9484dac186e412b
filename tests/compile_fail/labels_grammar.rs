//! Texts that are no label selectors.

use larder::labels;

fn main() {
    let _ = labels!("app=web,tier is front");
    let _ = labels!("app=web,,tier");
    let _ = labels!("example.com/app/name=web");
    let _ = labels!("tier in front");
    let _ = labels!("tier in (front, edge of it)");
    let _ = labels!("app=web,");
    let _ = labels!("replicas>-1");
    let _ = labels!(
        "app=web,
         tier=front/edge,
         !canary"
    );
}
