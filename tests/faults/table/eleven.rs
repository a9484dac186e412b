//! Eleven mistakes that a controller on kube-rs 5.0 meets, and the tests that show that they are not made here.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A file of this folder, and a test in it.
type Test = (&'static str, &'static str);

/// What goes wrong there, what holds here, and the tests.
const MISTAKES: [(&str, &str, &[Test]); 11] = [
    (
        "Of several tasks that wait for readiness, one wakes.",
        "All wake.",
        &[("health.rs", "c156_every_task_that_waits_wakes")],
    ),
    (
        "A subscriber that comes to an object after its deletion stalls, and the cache with it.",
        "Events carry their objects, and nobody waits for a subscriber.",
        &[
            (
                "handlers.rs",
                "c157_an_object_deleted_before_it_was_read_stalls_nobody",
            ),
            (
                "handlers.rs",
                "c120_c157_a_reader_that_never_reads_delays_nobody_and_holds_one_change_per_key",
            ),
        ],
    ),
    (
        "The marker of a restarted list resets the backoff of the list that fails.",
        "Only progress resets the backoff.",
        &[(
            "listing.rs",
            "c153_a_list_that_fails_backs_off_although_each_attempt_starts_afresh",
        )],
    ),
    (
        "A server that answers 200 and closes at once is asked 40,000 times a second.",
        "A watch that was short counts as a failure and backs off.",
        &[(
            "silence.rs",
            "c152_a_server_that_closes_at_once_gets_a_bounded_rate",
        )],
    ),
    (
        "A watch start that is answered with the HTTP status 410 is repeated for ever.",
        "410 leads to a relist, as status and as event.",
        &[(
            "watching.rs",
            "c154_an_expired_watch_start_relists_at_a_bounded_rate",
        )],
    ),
    (
        "A list, and the start of a watch, wait without end for a peer that is silent.",
        "Every wait has a deadline.",
        &[
            (
                "silence.rs",
                "c151_a_list_that_is_never_answered_fails_within_its_deadline",
            ),
            (
                "silence.rs",
                "c151_c158_a_watch_whose_start_is_never_answered_is_noticed_and_shows_as_stale",
            ),
        ],
    ),
    (
        "One object that does not decode fails the list, which empties the store, and the error prints the page.",
        "That object is counted and named; the others are stored; no error quotes a body.",
        &[
            (
                "broken.rs",
                "c150_in_a_list_it_blocks_neither_its_page_nor_its_kind",
            ),
            (
                "broken.rs",
                "c150_no_log_error_or_health_says_a_word_out_of_a_secret",
            ),
        ],
    ),
    (
        "A delete whose object does not decode leaves the object in the store.",
        "A delete needs no more than the name.",
        &[(
            "broken.rs",
            "c150_in_a_watch_the_last_good_state_stays_and_its_delete_applies",
        )],
    ),
    (
        "What was deleted between a lost watch and the relist is never told.",
        "It is told as a delete that was missed.",
        &[(
            "watching.rs",
            "c061_c155_what_was_deleted_unseen_is_a_missed_delete_of_the_last_known_state",
        )],
    ),
    (
        "\"Any version will do\" is dropped without a word as soon as pages have a size.",
        "The first list takes any version with a page size too.",
        &[(
            "listing.rs",
            "c070_c071_the_first_list_takes_any_version_and_a_relist_the_last_one",
        )],
    ),
    (
        "While one of several watches fails and waits, the others do not move.",
        "Each source is a task of its own.",
        &[
            ("health.rs", "c077_one_failing_watch_holds_up_no_other"),
            ("health.rs", "c158_one_stale_source_of_several_shows"),
        ],
    ),
];

/// The section of the page. Fails where a test is not there.
pub(crate) fn section() -> String {
    let mut section =
        "## Eleven mistakes of kube-rs 5.0\n\n| there | here | tests |\n|---|---|---|\n".to_owned();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    for (there, here, tests) in MISTAKES {
        let link = |(file, test): &Test| {
            let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
            let head = format!("]\nasync fn {test}() {{");
            assert!(
                text.contains(&head),
                "tests/faults/{file} has no test {test}"
            );
            format!("[`{test}`](../tests/faults/{file})")
        };
        let tests: Vec<String> = tests.iter().map(link).collect();
        let _ = writeln!(section, "| {there} | {here} | {} |", tests.join(", "));
    }
    section
}
