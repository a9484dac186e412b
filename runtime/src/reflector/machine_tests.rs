use super::*;
use crate::reflector::step::{Cause, End};

const INTERVAL: Duration = Duration::from_secs(60);
const LONG: Duration = Duration::from_secs(150);

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn version(number: u64) -> ResourceVersion {
    ResourceVersion::new(&number.to_string())
}

/// Delays of 1 s, 2 s, 3 s and so on.
struct Counting(u64);

impl Backoff for Counting {
    fn next(&mut self) -> Duration {
        self.0 += 1;
        secs(self.0)
    }

    fn reset(&mut self) {
        self.0 = 0;
    }
}

fn machine(streaming: bool) -> Machine {
    Machine::new(streaming, 500, INTERVAL, Box::new(Counting(0)))
}

fn end(cause: Cause, lived: Duration) -> Outcome {
    Outcome::Ended(End {
        cause,
        accepted: !matches!(
            cause,
            Cause::Unreachable | Cause::Refused | Cause::NotFound | Cause::Throttled { .. }
        ),
        lived,
    })
}

fn told(seconds: Option<u64>) -> Cause {
    Cause::Throttled {
        retry_after: seconds.map(secs),
    }
}

fn show(action: &Action) -> String {
    let limited = |limit: &Option<u32>| limit.map_or(String::new(), |n| format!(" limit {n}"));
    match action {
        Action::StreamList { start } => format!("stream {}", show_start(start)),
        Action::List { start, limit } => format!("list {}{}", show_start(start), limited(limit)),
        Action::ListPage { token, limit } => format!("page {token}{}", limited(limit)),
        Action::Watch { version } => format!("watch {version}"),
        Action::Confirm => "ask".into(),
        Action::Vanish => "vanish".into(),
        Action::Wait { delay } => format!("wait {}", delay.as_secs()),
    }
}

fn show_start(start: &Start) -> String {
    match start {
        Start::Any => "any".into(),
        Start::AtLeast(version) => version.to_string(),
        Start::Latest => "latest".into(),
    }
}

/// What the machine does up to its next request for the kind, where discovery does not tell anything.
fn answer(machine: &mut Machine) -> String {
    answer_if(machine, Verdict::Unknown)
}

/// The same where discovery says this.
fn answer_if(machine: &mut Machine, verdict: Verdict) -> String {
    let mut actions = Vec::new();
    loop {
        let action = machine.next();
        actions.push(show(&action));
        machine.on(match action {
            Action::Wait { .. } => Outcome::Waited,
            Action::Confirm => Outcome::Confirmed(verdict),
            Action::Vanish => Outcome::Vanished,
            _ => return actions.join(", "),
        });
    }
}

fn list(machine: &mut Machine, at: u64) {
    machine.on(Outcome::Page {
        version: version(at),
        next: None,
    });
}

/// A machine in the state that a row of the table names.
fn reach(state: &str) -> Machine {
    let lists = ["list", "page"].iter().any(|kind| state.starts_with(kind));
    let streams = !lists && state != "watch";
    let mut machine = machine(streams);
    match state {
        "stream any" | "list any" => {}
        "stream at 7" | "list at 7" => {
            machine.last = Some(version(7));
            machine.state = machine.attempt(Start::AtLeast(version(7)));
        }
        "stream latest" | "list latest" => machine.state = machine.attempt(Start::Latest),
        "page of any" | "page of latest" => {
            if state == "page of latest" {
                machine.state = machine.attempt(Start::Latest);
            }
            machine.on(Outcome::Page {
                version: version(7),
                next: Some("t".into()),
            });
        }
        "page of unpaged" => {
            machine = reach("page of any");
            machine.on(end(Cause::Expired, secs(0)));
            machine.on(Outcome::Page {
                version: version(7),
                next: Some("t".into()),
            });
        }
        "watch" => list(&mut machine, 7),
        "watch (streaming)" => machine.on(Outcome::Listed {
            version: version(7),
        }),
        "watch with bookmarks" | "resumed watch" => {
            machine.on(Outcome::Listed {
                version: version(6),
            });
            machine.on(Outcome::Bookmark {
                version: version(7),
            });
            machine.on(end(Cause::Complete, LONG));
            if state == "resumed watch" {
                machine.on(end(Cause::Silent, LONG));
            }
            machine.relist_at_once = true;
        }
        other => panic!("no such state: {other}"),
    }
    machine
}

#[test]
fn c080_every_error_has_the_answer_that_the_table_gives() {
    use Cause::{
        Broken, Complete, Cut, Expired, NotFound, Refused, Silent, Status, TooLarge, Unreachable,
    };
    let at_once = secs(0);
    let rows = [
        ("stream any", Expired, at_once, "stream latest"),
        ("stream at 7", Expired, at_once, "stream latest"),
        ("stream latest", Expired, at_once, "wait 1, stream latest"),
        ("stream at 7", TooLarge, at_once, "stream latest"),
        ("stream latest", TooLarge, at_once, "wait 1, stream latest"),
        ("stream any", told(Some(9)), at_once, "wait 9, stream any"),
        ("stream at 7", told(None), at_once, "wait 1, stream 7"),
        ("stream any", told(Some(0)), at_once, "wait 1, stream any"),
        (
            "stream any",
            told(Some(99_999)),
            at_once,
            "wait 600, stream any",
        ),
        ("stream any", Unreachable, at_once, "wait 1, stream any"),
        ("stream at 7", Unreachable, at_once, "wait 1, stream 7"),
        ("stream any", Refused, at_once, "list any limit 500"),
        ("stream at 7", Refused, at_once, "list 7"),
        ("stream latest", Refused, at_once, "list latest limit 500"),
        ("stream any", Silent, secs(60), "list any limit 500"),
        ("stream any", Status, at_once, "list any limit 500"),
        ("stream any", NotFound, at_once, "list any limit 500"),
        ("stream at 7", NotFound, at_once, "list 7"),
        (
            "list any",
            NotFound,
            at_once,
            "ask, wait 1, list any limit 500",
        ),
        ("list at 7", NotFound, at_once, "ask, wait 1, list 7"),
        (
            "page of any",
            NotFound,
            at_once,
            "ask, wait 1, list any limit 500",
        ),
        (
            "page of latest",
            NotFound,
            at_once,
            "ask, wait 1, list latest limit 500",
        ),
        ("watch", NotFound, at_once, "ask, wait 1, watch 7"),
        ("watch (streaming)", NotFound, LONG, "ask, wait 1, watch 7"),
        ("stream at 7", Broken, at_once, "list 7"),
        ("stream any", Cut, secs(9), "list any limit 500"),
        ("stream latest", Complete, secs(9), "list latest limit 500"),
        ("list any", Expired, at_once, "list latest limit 500"),
        ("list at 7", Expired, at_once, "list latest limit 500"),
        (
            "list latest",
            Expired,
            at_once,
            "wait 1, list latest limit 500",
        ),
        ("list any", TooLarge, at_once, "list latest limit 500"),
        ("list at 7", TooLarge, at_once, "list latest limit 500"),
        (
            "list latest",
            TooLarge,
            at_once,
            "wait 1, list latest limit 500",
        ),
        ("list at 7", told(Some(3)), at_once, "wait 3, list 7"),
        (
            "list at 7",
            Refused,
            at_once,
            "wait 1, list latest limit 500",
        ),
        (
            "list any",
            Unreachable,
            at_once,
            "wait 1, list any limit 500",
        ),
        ("list at 7", Status, at_once, "wait 1, list 7"),
        ("list any", Broken, at_once, "wait 1, list any limit 500"),
        ("list any", Cut, at_once, "wait 1, list any limit 500"),
        ("list any", Silent, secs(60), "wait 1, list any limit 500"),
        ("list any", Complete, at_once, "wait 1, list any limit 500"),
        ("page of any", Expired, at_once, "list any"),
        ("page of latest", Expired, at_once, "list latest"),
        ("page of unpaged", Expired, at_once, "list latest limit 500"),
        ("page of any", TooLarge, at_once, "list latest limit 500"),
        (
            "page of any",
            told(Some(3)),
            at_once,
            "wait 3, page t limit 500",
        ),
        (
            "page of any",
            Refused,
            at_once,
            "wait 1, list latest limit 500",
        ),
        (
            "page of any",
            Unreachable,
            at_once,
            "wait 1, list any limit 500",
        ),
        (
            "page of latest",
            Status,
            at_once,
            "wait 1, list latest limit 500",
        ),
        ("page of any", Cut, at_once, "wait 1, list any limit 500"),
        ("page of any", Broken, at_once, "wait 1, list any limit 500"),
        (
            "page of any",
            Silent,
            secs(60),
            "wait 1, list any limit 500",
        ),
        ("watch", Expired, secs(9), "list latest limit 500"),
        ("watch (streaming)", Expired, secs(9), "stream latest"),
        ("watch (streaming)", TooLarge, secs(9), "stream latest"),
        ("watch", told(Some(5)), secs(9), "wait 5, watch 7"),
        ("watch", told(None), secs(9), "wait 1, watch 7"),
        ("watch", Refused, at_once, "wait 1, list latest limit 500"),
        (
            "watch (streaming)",
            Refused,
            at_once,
            "wait 1, stream latest",
        ),
        ("watch", Broken, LONG, "wait 1, list 7"),
        ("watch (streaming)", Broken, secs(9), "wait 1, stream 7"),
        ("watch", Status, at_once, "wait 1, watch 7"),
        ("watch", Unreachable, at_once, "wait 1, watch 7"),
        ("watch", Cut, at_once, "wait 1, watch 7"),
        ("watch", Cut, secs(31), "watch 7"),
        ("watch", Complete, at_once, "wait 1, watch 7"),
        ("watch", Complete, secs(31), "watch 7"),
        ("watch", Silent, secs(9), "wait 1, watch 7"),
        ("watch", Silent, LONG, "watch 7"),
        ("watch with bookmarks", Silent, LONG, "watch 7"),
        ("watch with bookmarks", Cut, LONG, "watch 7"),
        ("watch with bookmarks", Complete, secs(119), "watch 7"),
        ("watch with bookmarks", Complete, secs(120), "stream latest"),
        ("resumed watch", Silent, LONG, "stream latest"),
        ("resumed watch", Cut, LONG, "stream latest"),
        ("resumed watch", Cut, secs(31), "watch 7"),
        ("resumed watch", Complete, LONG, "stream latest"),
        ("resumed watch", Complete, secs(60), "watch 7"),
        ("resumed watch", Status, at_once, "wait 1, watch 7"),
    ];
    for (state, cause, lived, expected) in rows {
        let mut machine = reach(state);
        machine.on(end(cause, lived));
        assert_eq!(
            answer(&mut machine),
            expected,
            "{state}: {cause:?} after {lived:?}"
        );
    }
}

#[test]
fn c070_c074_pages_follow_their_tokens_and_keep_the_first_ones_version() {
    let mut machine = machine(false);
    assert_eq!(answer(&mut machine), "list any limit 500");
    machine.on(Outcome::Page {
        version: version(5),
        next: Some("a".into()),
    });
    assert_eq!(answer(&mut machine), "page a limit 500");
    machine.on(Outcome::Page {
        version: version(9),
        next: Some("b".into()),
    });
    assert_eq!(answer(&mut machine), "page b limit 500");
    list(&mut machine, 9);
    assert_eq!(answer(&mut machine), "watch 5");

    let mut unpaged = Machine::new(false, 0, INTERVAL, Box::new(Counting(0)));
    assert_eq!(answer(&mut unpaged), "list any");
}

#[test]
fn c092_a_refusal_is_remembered_and_other_failures_are_not() {
    for (cause, next) in [
        (Cause::Refused, "list latest limit 500"),
        (Cause::Status, "stream latest"),
        (Cause::Cut, "stream latest"),
        (Cause::Complete, "stream latest"),
    ] {
        let mut machine = machine(true);
        machine.on(end(cause, secs(1)));
        list(&mut machine, 7);
        machine.on(end(Cause::Expired, secs(1)));
        assert_eq!(answer(&mut machine), next, "{cause:?}");
    }
}

#[test]
fn c095_silence_is_remembered_once_the_list_after_it_succeeds() {
    let mut alone = machine(true);
    alone.on(end(Cause::Silent, secs(60)));
    list(&mut alone, 7);
    alone.on(end(Cause::Expired, secs(1)));
    assert_eq!(answer(&mut alone), "list latest limit 500");

    let mut dead_server = machine(true);
    dead_server.on(end(Cause::Silent, secs(60)));
    dead_server.on(end(Cause::Silent, secs(60)));
    assert_eq!(answer(&mut dead_server), "wait 1, stream any");
}

#[test]
fn c082_c086_a_watch_resumes_from_the_last_event() {
    let mut machine = reach("watch");
    machine.on(Outcome::Event {
        version: version(8),
    });
    machine.on(Outcome::Bookmark {
        version: version(12),
    });
    machine.on(end(Cause::Cut, secs(1)));
    assert_eq!(answer(&mut machine), "wait 1, watch 12");
    assert_eq!(machine.version(), Some(&version(12)));
}

#[test]
fn c083_progress_resets_the_backoff_and_markers_do_not() {
    let mut machine = reach("watch (streaming)");
    let mut fail = |outcome: Option<Outcome>, lived| {
        if let Some(outcome) = outcome {
            machine.on(outcome);
        }
        machine.on(end(Cause::Cut, lived));
        answer(&mut machine)
    };
    let bookmark = |at| {
        Some(Outcome::Bookmark {
            version: version(at),
        })
    };
    assert_eq!(fail(None, secs(1)), "wait 1, watch 7");
    assert_eq!(fail(None, secs(1)), "wait 2, watch 7");
    assert_eq!(fail(bookmark(7), secs(1)), "wait 3, watch 7");
    assert_eq!(fail(bookmark(8), secs(1)), "wait 1, watch 8");
    assert_eq!(fail(None, secs(1)), "wait 2, watch 8");
    assert_eq!(fail(None, LONG_LIFE), "watch 8");
    assert_eq!(fail(None, secs(1)), "wait 1, watch 8");
}

#[test]
fn c154_only_the_first_relist_since_progress_is_immediate() {
    let mut machine = reach("watch (streaming)");
    let mut expire = |event: Option<u64>| {
        if let Some(at) = event {
            machine.on(Outcome::Event {
                version: version(at),
            });
        }
        machine.on(end(Cause::Expired, secs(0)));
        let answer = answer(&mut machine);
        machine.on(Outcome::Listed {
            version: version(100),
        });
        answer
    };
    assert_eq!(expire(None), "stream latest");
    assert_eq!(expire(None), "wait 1, stream latest");
    assert_eq!(expire(None), "wait 2, stream latest");
    assert_eq!(expire(Some(101)), "stream latest");
    assert_eq!(expire(None), "wait 1, stream latest");
}

#[test]
fn c073_after_a_silent_relist_bookmarks_are_expected_only_once_seen_again() {
    let mut machine = reach("resumed watch");
    assert!(machine.expects_bookmarks());
    machine.on(end(Cause::Silent, LONG));
    assert!(!machine.expects_bookmarks());
    machine.on(Outcome::Listed {
        version: version(2),
    });
    for _ in 0..4 {
        assert_eq!(answer(&mut machine), "watch 2");
        machine.on(end(Cause::Complete, secs(400)));
    }
    machine.on(Outcome::Bookmark {
        version: version(3),
    });
    assert!(machine.expects_bookmarks());
}

#[test]
fn a_bookmark_interval_without_end_does_not_overflow() {
    let mut machine = Machine::new(false, 500, Duration::MAX, Box::new(Counting(0)));
    machine.on(Outcome::Page {
        version: version(1),
        next: None,
    });
    machine.on(Outcome::Bookmark {
        version: version(2),
    });
    for _ in 0..3 {
        machine.on(end(Cause::Complete, secs(400)));
        assert_eq!(answer(&mut machine), "watch 2");
    }
}

#[test]
fn c072_a_listing_keeps_its_start_over_its_retries() {
    let mut machine = reach("watch");
    machine.on(end(Cause::Expired, secs(1)));
    for delay in 1..4 {
        machine.on(end(Cause::Status, secs(0)));
        assert_eq!(
            answer(&mut machine),
            format!("wait {delay}, list latest limit 500")
        );
    }
}

/// A machine whose requests are answered 404 from now on, and what it does then, as discovery says: a letter a round.
fn not_found(machine: &mut Machine, verdicts: &str) -> Vec<String> {
    let round = |verdict| {
        let verdict = match verdict {
            'n' => Verdict::NotServed,
            's' => Verdict::Served,
            'r' => Verdict::Refused,
            _ => Verdict::Unknown,
        };
        machine.on(end(Cause::NotFound, secs(0)));
        answer_if(machine, verdict)
    };
    verdicts.chars().map(round).collect()
}

#[test]
fn an_absent_kind_leaves_once_discovery_said_so_long_enough() {
    let mut machine = reach("watch");
    assert_eq!(
        not_found(&mut machine, "nnnnn"),
        [
            "ask, wait 1, list latest limit 500",
            "ask, wait 2, list latest limit 500",
            "ask, wait 3, list latest limit 500",
            "ask, wait 4, list latest limit 500",
            "ask, vanish, wait 5, list latest limit 500",
        ]
    );
    assert!(machine.is_absent() && machine.version().is_none());
    assert_eq!(
        not_found(&mut machine, "?n"),
        [
            "wait 6, list latest limit 500",
            "wait 7, list latest limit 500"
        ],
        "it is not asked again what is known"
    );
}

#[test]
fn what_discovery_does_not_deny_stays() {
    for (verdicts, last) in [
        ("s", "ask, wait 1, watch 7"),
        ("????????", "ask, wait 8, watch 7"),
        ("nnnns", "ask, wait 5, list latest limit 500"),
        ("nnnnsn", "ask, wait 6, list latest limit 500"),
        ("rrrrrrrr", "ask, wait 8, watch 7"),
    ] {
        let mut machine = reach("watch");
        let answers = not_found(&mut machine, verdicts);
        assert_eq!(answers.last().map(String::as_str), Some(last), "{verdicts}");
        assert!(!machine.is_absent());
        assert_eq!(machine.version(), Some(&version(7)));
    }
}

#[test]
fn where_discovery_is_not_allowed_only_minutes_of_404_tell() {
    let mut machine = reach("watch");
    let answers = not_found(&mut machine, &"r".repeat(25));
    let waited = |rounds: u64| rounds * (rounds + 1) / 2;
    let vanished = answers.iter().position(|answer| answer.contains("vanish"));
    assert_eq!(vanished, Some(24), "{answers:?}");
    assert!(waited(24) >= 300 && waited(23) < 300);
}

#[test]
fn an_absent_kind_that_answers_is_listed_anew_at_the_latest_version() {
    for (state, attempt) in [
        ("stream any", "stream latest"),
        ("list any", "list latest limit 500"),
        ("watch (streaming)", "stream latest"),
    ] {
        let mut machine = reach(state);
        if state == "stream any" {
            machine.on(end(Cause::NotFound, secs(0)));
        }
        assert!(!machine.is_absent());
        not_found(&mut machine, "nnnnnn");
        assert!(machine.is_absent(), "{state}");
        for (cause, wait) in [
            (Cause::Unreachable, 7),
            (Cause::NotFound, 8),
            (told(None), 9),
        ] {
            machine.on(end(cause, secs(0)));
            assert_eq!(
                answer(&mut machine),
                format!("wait {wait}, {attempt}"),
                "{state}"
            );
            assert!(
                machine.is_absent(),
                "{state}: {cause:?} says nothing to the contrary"
            );
        }
        machine.on(Outcome::Page {
            version: version(3),
            next: None,
        });
        machine.on(Outcome::Listed {
            version: version(3),
        });
        assert_eq!(answer(&mut machine), "watch 3");
        assert!(!machine.is_absent());
        assert_eq!(not_found(&mut machine, "n").len(), 1, "and all begins anew");
        assert!(!machine.is_absent());
    }
}

#[test]
fn an_absent_kind_is_looked_for_every_half_minute_whatever_the_backoff_is() {
    struct Hours;
    impl Backoff for Hours {
        fn next(&mut self) -> Duration {
            secs(3600)
        }
        fn reset(&mut self) {}
    }
    let mut machine = Machine::new(false, 0, INTERVAL, Box::new(Hours));
    assert_eq!(
        not_found(&mut machine, "nnn"),
        [
            "ask, wait 3600, list latest",
            "ask, vanish, wait 30, list latest",
            "wait 30, list latest",
        ]
    );
}

#[test]
fn a_success_between_two_404s_is_to_the_contrary() {
    let mut machine = reach("list any");
    for _ in 0..10 {
        not_found(&mut machine, "n");
        machine.on(Outcome::Page {
            version: version(7),
            next: Some("t".into()),
        });
        assert!(!machine.seems_absent());
        assert!(machine.keeps_listing());
    }
    not_found(&mut machine, "n");
    assert!(machine.seems_absent() && !machine.keeps_listing());
    assert_eq!(show(&machine.next()), "list latest limit 500");
}

/// Whatever a server does, requests without progress, a long life or a wait between them are few.
#[test]
fn c152_no_sequence_of_failures_is_a_tight_loop() {
    let mut random = fastrand::Rng::with_seed(crate::test_seed());
    let mut machine = machine(true);
    let mut in_a_row = 0;
    let mut vanished = 0;
    for step in 0..200_000 {
        if let Action::Wait { delay } = machine.next() {
            assert!(delay >= secs(1), "step {step}");
            machine.on(Outcome::Waited);
            in_a_row = 0;
            continue;
        }
        if machine.next() == Action::Vanish {
            vanished += 1;
            machine.on(Outcome::Vanished);
            continue;
        }
        in_a_row += 1;
        assert!(in_a_row <= 5, "step {step}: {:?}", machine.next());
        let outcome = random_outcome(&mut random, &machine.next());
        machine.on(outcome);
    }
    assert!(vanished > 0, "some kind was absent for a while");
}

fn random_outcome(random: &mut fastrand::Rng, action: &Action) -> Outcome {
    let causes = [
        Cause::Expired,
        Cause::TooLarge,
        told(None),
        Cause::Refused,
        Cause::NotFound,
        Cause::NotFound,
        Cause::NotFound,
        Cause::Status,
        Cause::Unreachable,
        Cause::Cut,
        Cause::Broken,
        Cause::Silent,
        Cause::Complete,
    ];
    let verdicts = [
        Verdict::Served,
        Verdict::NotServed,
        Verdict::NotServed,
        Verdict::NotServed,
        Verdict::Refused,
        Verdict::Unknown,
    ];
    let version = version(7);
    match (action, random.u8(..4)) {
        (Action::Confirm, _) => Outcome::Confirmed(verdicts[random.usize(..verdicts.len())]),
        (Action::StreamList { .. }, 0) => Outcome::Listed { version },
        (Action::List { .. } | Action::ListPage { .. }, 0) => Outcome::Page {
            version,
            next: None,
        },
        _ => end(causes[random.usize(..causes.len())], secs(random.u64(..30))),
    }
}
