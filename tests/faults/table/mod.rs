//! Every fault in every state of the reflector, and the page that shows what came of each: `docs/faults.md`.
//!
//! A row happens once, and the cell says what was seen: the next request, what health says, whether the store counts as stale. Then it
//! happens for two minutes. What must hold in each cell is asserted as it is observed; what may differ from cell to cell stands on the page,
//! and the test fails when the page says anything else.

mod eleven;
mod rows;
mod seen;
mod socket;
mod states;
mod wire;

use std::fmt::Write as _;

use states::State;

use crate::support::{cluster, generated_page, pod};

const HEAD: &str = "# When something goes wrong

Written by `LARDER_WRITE=1 cargo test --test faults table`, from what it observed: each row was made to happen to an informer of pods over the
[simulator](../tests/sim) in each state, and the page must say what came of it. The rules behind it are the table in
`runtime/src/reflector/machine.rs`.

In every cell these hold too, and the test asserts them:

- Objects that are known stay readable. No delete is told, except where the column says so.
- Health names the request that failed and why, and quotes nothing out of a body except the message of a `Status`.
- While the same fault lasts, requests come at a bounded rate: no more than the pages of one list and one watch in each pause of the backoff.
- When the fault is over, store and handlers end equal to the server, by themselves.

\"Backoff\" is the pause that [`ReflectorOptions::backoff`] gives, by default 0.8 s to 30 s, growing and jittered. \"Any state\" is a list at version \"0\",
\"latest\" one without version. \"Stale\" is `Health::stale_since`, which readiness probes look at; \"not synced\" is an informer that has yet to
get its first complete state: its listers answer `NotSynced` with the error as the cause.

404 is believed only where the server's discovery confirms it. In these rows it does not; a kind that is really gone leaves by deletes and is waited
for ([tests/absent](../tests/absent)).

A client made by kube's own constructors repeats 429, 503 and 504 up to 15 times before Larder sees them; one made by `larder::client_from_config` does not.
The rows without a body to speak of are also run over a socket with such a client, and must be seen at once, in the same words.

[`ReflectorOptions::backoff`]: ../runtime/src/reflector/options.rs

";

#[tokio::test(start_paused = true)]
async fn c077_c080_c151_c152_every_fault_in_every_state_has_the_answer_on_the_page() {
    let mut page = HEAD.to_owned();
    let probe = cluster((0..5).map(|number| pod("a", &format!("p{number}"))));
    for state in State::ALL {
        let _ = writeln!(page, "## {}\n", state.title());
        page.push_str("| what comes | what is done next | what health says | the store is | deletes |\n|---|---|---|---|---|\n");
        for (at, row) in rows::of(state, &probe).into_iter().enumerate() {
            let what = row.what;
            eprintln!("{state:?}: {what}");
            let seen = seen::once(state, at).await;
            let deletes = match seen.deletes {
                0 => String::new(),
                count => count.to_string(),
            };
            let _ = writeln!(
                page,
                "| {what} | {} | {} | {} | {deletes} |",
                seen.next,
                seen.says.replace('|', "\\|"),
                seen.condition
            );
            let requests = seen::lasting(state, at).await;
            // Three pages and a watch; some faults are answered by one more attempt at once.
            let most = 5 * (120 / states::BACKOFF + 1);
            assert!(
                requests as u64 <= most,
                "{requests} requests in two minutes"
            );
        }
        page.push('\n');
    }
    page.push_str(&eleven::section());
    generated_page("docs/faults.md", &page, "faults table");
}
