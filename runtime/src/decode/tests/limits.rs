//! How much a splitter holds, whatever it is fed.

use super::*;

#[test]
fn objects_have_a_largest_size() {
    let options = SplitOptions {
        max_object_bytes: 60,
        ..SplitOptions::default()
    };
    let object = |length: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8));
    let too_large = |position| {
        Got::Error(
            SplitError::TooLarge {
                limit: 60,
                position,
            }
            .to_string(),
        )
    };

    let body = format!(r#"{{"items":[{},{}],"x":1}}"#, object(60), object(61));
    let (got, finished) = split_everywhere(|| Splitter::list(options), body.as_bytes());
    assert_eq!(got, [Got::Object(None, object(60)), too_large(71)]);
    assert!(finished.is_err());
    let body = format!(r#"{{"{}":1}}"#, "k".repeat(99));
    let (got, _) = split_everywhere(|| Splitter::list(options), body.as_bytes());
    assert_eq!(got, [too_large(1)], "keys count, too");

    // A watch counts whole events, and goes on behind one that is too large.
    let event = |length: usize| {
        format!(
            "{{\"type\":\"ADDED\",\"object\":{}}}\n",
            object(length - 27)
        )
    };
    let body = format!("{}{}{}", event(61), event(62), event(61));
    let (got, finished) = split_everywhere(|| Splitter::watch(options), body.as_bytes());
    assert_eq!(got, [added(&object(34)), too_large(61), added(&object(34))]);
    assert_eq!(finished, Ok(ListEnd::default()));
    let body = format!(
        "{{\"type\":{}\"ADDED\",\"object\":{{}}}}\n{}",
        " ".repeat(60),
        event(61)
    );
    let (got, _) = split_everywhere(|| Splitter::watch(options), body.as_bytes());
    assert_eq!(
        got,
        [too_large(0), added(&object(34))],
        "white space counts, too"
    );
}

#[test]
fn an_endless_object_is_not_collected() {
    let options = SplitOptions {
        max_object_bytes: 1 << 16,
        ..SplitOptions::default()
    };
    let mut splitter = Splitter::watch(options);
    splitter.push(b"{\"type\":\"ADDED\",\"object\":{\"a\":\"");
    let mut errors = 0;
    for _ in 0..1_000 {
        splitter.push(&[b'x'; 4096]);
        while let Some(item) = splitter.next() {
            assert!(matches!(item, Err(SplitError::TooLarge { .. })));
            errors += 1;
        }
        assert!(splitter.held() <= (1 << 16) + 2 * 4096);
    }
    assert_eq!(errors, 1);
    splitter.push(b"\"}}\n{\"type\":\"ADDED\",\"object\":{}}\n");
    assert!(splitter.next().unwrap().is_ok());
    splitter.push(b"");
    assert!(splitter.held() == 1, "the line break behind the event");
}

#[test]
fn a_page_is_never_held() {
    let mut splitter = Splitter::list(SplitOptions::default());
    splitter.push(b"{\"items\":[");
    for at in 0..2_000 {
        let item = format!("{}{POD}", if at > 0 { "," } else { "" });
        for chunk in item.as_bytes().chunks(4_000) {
            splitter.push(chunk);
            while let Some(item) = splitter.next() {
                item.unwrap();
            }
            assert!(splitter.held() <= POD.len() + 4_000);
        }
    }
    splitter.push(b"]}");
    assert!(splitter.next().is_none());
    splitter.finish().unwrap();
}

#[test]
fn random_lists_and_watches_split_alike_in_random_chunks() {
    let mut rng = random::seeded();
    for round in 0..2_000 {
        let objects: Vec<String> = (0..rng.usize(..5))
            .map(|_| random::json(&mut rng, 4))
            .collect();
        let (body, is_list) = if round % 2 == 0 {
            (format!("{{\"items\":[{}]}}", objects.join(",")), true)
        } else {
            let events = objects
                .iter()
                .map(|o| format!("{{\"type\":\"ADDED\",\"object\":{o}}}"));
            (events.collect::<String>(), false)
        };
        let mut body = body.into_bytes();
        let damaged = rng.bool();
        if damaged {
            random::damage(&mut rng, &mut body);
        }
        let options = SplitOptions::default();
        let make = || {
            if is_list {
                Splitter::list(options)
            } else {
                Splitter::watch(options)
            }
        };
        let whole = split(make(), [body.as_slice()]);
        let size = rng.usize(1..20);
        assert_eq!(
            split(make(), body.chunks(size)),
            whole,
            "{}",
            body.escape_ascii()
        );
        if !damaged {
            let got: Vec<&str> = whole
                .0
                .iter()
                .map(|got| match got {
                    Got::Object(_, bytes) => bytes.as_str(),
                    Got::Error(error) => panic!("{error}"),
                })
                .collect();
            let trimmed: Vec<&str> = objects.iter().map(|object| object.trim_ascii()).collect();
            assert_eq!(got, trimmed);
        }
    }
}
