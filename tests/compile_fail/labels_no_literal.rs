//! What a macro can check is a literal.

use larder::{LabelSelector, labels};

const TEXT: &str = "app=web";

fn main() {
    let _ = labels!(TEXT);
    let _ = labels!();
    let _ = labels!(app = web);
    let _ = labels!("app=web", "tier=front");
    let _ = labels!(b"app=web");
    let _: LabelSelector = labels!("app={}", 5);
}
