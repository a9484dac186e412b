//! Shapes of lists and watches, each cut at every byte.

use super::*;

fn objects(got: &[Got]) -> Vec<&str> {
    got.iter()
        .map(|got| match got {
            Got::Object(None, bytes) => bytes.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn end(version: &str, token: &str, remaining: Option<i64>) -> Result<ListEnd, String> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok(ListEnd {
        resource_version: text(version),
        continue_token: text(token),
        remaining_item_count: remaining,
    })
}

#[test]
fn lists_in_any_shape_yield_their_items_and_their_end() {
    let pod = r#"{"metadata":{"name":"a"}}"#;
    let rows = [
        (
            format!(
                r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"7","continue":"tok","remainingItemCount":3}},"items":[{pod},{{"b":[1,{{}}]}}]}}"#
            ),
            vec![pod, r#"{"b":[1,{}]}"#],
            end("7", "tok", Some(3)),
        ),
        (
            format!(r#"{{"items":[{pod}],"metadata":{{"continue":"","resourceVersion":"7"}}}}"#),
            vec![pod],
            end("7", "", None),
        ),
        (
            format!(
                " {{ \"items\" :\n[ {pod} ,\r\n\t{pod} ] , \"x\" : [1, {{\"items\":[2]}}] , \"metadata\" : {{ }} }} \n"
            ),
            vec![pod, pod],
            end("", "", None),
        ),
        (
            r#"{"kind":"PodList","items":null,"metadata":{"resourceVersion":"\u0031"}}"#.into(),
            vec![],
            end("1", "", None),
        ),
        (
            r#"{"items":[],"metadata":null}"#.into(),
            vec![],
            end("", "", None),
        ),
        (
            r#"{"kind":"PodList","metadata":{}}"#.into(),
            vec![],
            end("", "", None),
        ),
        (
            r#"{"\u0069tems":[ 1 , "x\"]" , null,-2.5e3,[[]]]}"#.into(),
            vec!["1", r#""x\"]""#, "null", "-2.5e3", "[[]]"],
            end("", "", None),
        ),
        (
            r#"{"items":[{"a":"]}\\"},{"a":"\\\""}]}"#.into(),
            vec![r#"{"a":"]}\\"}"#, r#"{"a":"\\\""}"#],
            end("", "", None),
        ),
    ];
    for (body, items, wanted) in rows {
        let (got, end) = list(&body);
        assert_eq!(objects(&got), items, "{body}");
        assert_eq!(end, wanted, "{body}");
    }
}

#[test]
fn a_truncated_list_is_an_error_at_every_byte() {
    let body = r#"{"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[{"a":"b"},{}]}"#;
    for end in 0..body.len() {
        let (got, finished) = split(
            Splitter::list(SplitOptions::default()),
            [body[..end].as_bytes()],
        );
        assert!(
            got.iter().all(|got| matches!(got, Got::Object(..))),
            "{end}: {got:?}"
        );
        assert_eq!(finished, Err(SplitError::Truncated.to_string()), "{end}");
    }
}

#[test]
fn what_is_no_list_is_refused() {
    for body in [
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":403}"#,
        r#"{"metadata":{"resourceVersion":"1","name":"a"},"kind":"Pod"}"#,
        "{}",
        r#"{"items":{"a":1}}"#,
        r#"{"items":"null"}"#,
        r#"{"kind":7}"#,
        "[1]",
        "null",
        "<html><body>Bad gateway</body></html>",
        "404 page not found\n",
    ] {
        let (got, finished) = list(body);
        assert!(
            got.iter().all(|got| matches!(got, Got::Error(_))),
            "{body}: {got:?}"
        );
        assert_eq!(finished, Err(SplitError::NotAList.to_string()), "{body}");
    }
    for (body, path) in [
        (
            r#"{"metadata":{"resourceVersion":7},"items":[{}]}"#,
            "resourceVersion: ",
        ),
        (
            r#"{"items":[{}],"metadata":[1.2.3]}"#,
            "expected an object, found an array",
        ),
    ] {
        let mut splitter = Splitter::list(SplitOptions::default());
        splitter.push(body.as_bytes());
        let error = std::iter::from_fn(|| splitter.next().map(|item| item.map(|_| ())))
            .find_map(Result::err)
            .unwrap();
        let SplitError::Metadata(source) = &error else {
            panic!("{error:?}");
        };
        assert!(source.to_string().starts_with(path), "{source}");
        assert!(matches!(splitter.finish(), Err(SplitError::Metadata(_))));
    }
}

#[test]
fn garbage_in_a_list_ends_it_with_an_error_that_says_where() {
    for (body, objects, position, expected) in [
        (r#"{"items":[{"a":1},{"b":]}]}"#, 1, 23, "`}`"),
        (r#"{"items":[{"a":1} {"b":2}]}"#, 1, 18, "`,` or `]`"),
        (r#"{"items":[{"a":1},]}"#, 1, 18, "a value"),
        (r#"{"items":[,{"a":1}]}"#, 0, 10, "a value"),
        (
            r#"{"items":[{"a":{} {}}]}"#,
            0,
            18,
            "a comma or a closing bracket before a further array or object",
        ),
        (r#"{"items":[1 2]}"#, 1, 12, "`,` or `]`"),
        (r#"{"items":[1}"#, 1, 11, "`,` or `]`"),
        (r#"{"items":[],}"#, 0, 12, "a key"),
        (r#"{"items":[] "kind":1}"#, 0, 12, "`,` or `}`"),
        (r#"{"items" []}"#, 0, 9, "`:`"),
        (r#"{items:[]}"#, 0, 1, "a key"),
        (r#"{"items":}"#, 0, 9, "a value"),
        (
            r#"{"items":[]}{"items":[]}"#,
            0,
            12,
            "nothing after the list",
        ),
    ] {
        let (got, finished) = list(body);
        let error = SplitError::Malformed { position, expected }.to_string();
        assert_eq!(got.last(), Some(&Got::Error(error.clone())), "{body}");
        assert_eq!(got.len(), objects + 1, "{body}: {got:?}");
        assert_eq!(finished, Err(error), "{body}");
    }
}

fn added(object: &str) -> Got {
    Got::Object(Some(EventType::Added), object.to_owned())
}

fn malformed(position: u64, expected: &'static str) -> Got {
    Got::Error(SplitError::Malformed { position, expected }.to_string())
}

#[test]
fn watches_in_any_shape_yield_their_events() {
    let rows = [
        ("", vec![]),
        (" \r\n\t", vec![]),
        (
            r#"{"type":"ADDED","object":{"a":1}}"#,
            vec![added(r#"{"a":1}"#)],
        ),
        (
            "{\"object\":{\"a\":1},\"type\":\"ADDED\"}\n\n{\"type\":\"ADDED\",\"object\":{}}\n",
            vec![added(r#"{"a":1}"#), added("{}")],
        ),
        (
            r#"{"type":"ADDED","object":{}}{"type":"ADDED","object":[{"]":"\\\""}]}"#,
            vec![added("{}"), added(r#"[{"]":"\\\""}]"#)],
        ),
        (
            " { \"x\" : [ { } , 1.5 , null ] ,\n \"object\" :\n { \"a\" : 1 } , \"type\" : \"ADDED\" , \"y\":\"}\" } ",
            vec![added(r#"{ "a" : 1 }"#)],
        ),
        (
            r#"{"t\u0079pe":"ADD\u0045D","object":null}"#,
            vec![added("null")],
        ),
        (
            r#"{"object":{"b":2},"object":{"a":1},"type":"x","type":"ADDED"}"#,
            vec![added(r#"{"a":1}"#)],
        ),
    ];
    for (body, wanted) in rows {
        assert_eq!(watch(body), (wanted, Ok(ListEnd::default())), "{body}");
    }
    for (name, event) in [
        ("ADDED", EventType::Added),
        ("MODIFIED", EventType::Modified),
        ("DELETED", EventType::Deleted),
        ("BOOKMARK", EventType::Bookmark),
        ("ERROR", EventType::Error),
        ("added", EventType::Other),
        ("", EventType::Other),
    ] {
        let (got, _) = watch(&format!(r#"{{"type":"{name}","object":{{}}}}"#));
        assert_eq!(got, [Got::Object(Some(event), "{}".to_owned())]);
    }
}

#[test]
fn a_watch_cut_off_in_an_event_is_truncated() {
    let body = "{\"type\":\"ADDED\",\"object\":{\"a\":\"b\"}}\n";
    for end in 1..body.len() - 1 {
        let both = format!("{body}{}", &body[..end]);
        let (got, finished) = split(Splitter::watch(SplitOptions::default()), [both.as_bytes()]);
        assert_eq!(got, [added(r#"{"a":"b"}"#)], "{end}");
        assert_eq!(finished, Err(SplitError::Truncated.to_string()), "{end}");
    }
}

#[test]
fn garbage_in_a_watch_costs_its_own_event_alone() {
    let good = "{\"type\":\"ADDED\",\"object\":{\"a\":1}}";
    let bracket = "a comma or a closing bracket before a further array or object";
    let quote = "the closing quote of a string before the end of the line";
    let rows = [
        // Noticed inside the event.
        (
            "{\"type\":\"ADDED\",\"object\":{\"a\":[1}}",
            malformed(32, "`]`"),
        ),
        (
            "{\"type\":\"ADDED\",\"object\":{\"a\":\"x}}",
            malformed(34, quote),
        ),
        (
            "{\"type\":\"ADDED\" \"object\":{}}",
            malformed(16, "`,` or `}`"),
        ),
        ("{\"type\":\"ADDED\",\"object\":}", malformed(25, "a value")),
        ("{\"type", malformed(6, quote)),
        ("{]", malformed(1, "a key")),
        ("garbage", malformed(0, "`{`")),
        ("]", malformed(0, "`{`")),
        (
            "{\"type\":\"ADDED\",\"object\":{\"a\":{} {}}}",
            malformed(33, bracket),
        ),
        // Noticed only where the next event begins, or in the one after it.
        (
            "{\"type\":\"ADDED\",\"object\":{\"a\":1",
            malformed(32, bracket),
        ),
        (
            "{\"type\":\"ADDED\",\"object\":{\"a\":1}",
            malformed(33, "`,` or `}`"),
        ),
        (
            "{\"type\":\"ADDED\",\"object\":{\"a\":",
            malformed(65, bracket),
        ),
        (
            "{\"type\":\"ADDED\",\"object\":",
            malformed(60, "`,` or `}`"),
        ),
        ("{\"type\":\"ADDED\"", malformed(16, "`,` or `}`")),
        // Complete, and no event.
        (
            "{\"type\":\"ADDED\"}",
            Got::Error(SplitError::NotAnEvent { position: 16 }.to_string()),
        ),
        (
            "{\"object\":{}}",
            Got::Error(SplitError::NotAnEvent { position: 13 }.to_string()),
        ),
        (
            "{\"type\":7,\"object\":{}}",
            Got::Error(SplitError::NotAnEvent { position: 22 }.to_string()),
        ),
    ];
    for (bad, error) in rows {
        let body = format!("{good}\n{bad}\n{good}\n{good}\n");
        let shifted = match &error {
            Got::Error(text) => Got::Error(shift(text, good.len() + 1)),
            other => other.clone(),
        };
        let event = added(r#"{"a":1}"#);
        let wanted = vec![event.clone(), shifted, event.clone(), event];
        assert_eq!(watch(&body), (wanted, Ok(ListEnd::default())), "{bad}");
    }
    // Without line breaks nothing shows where the next event begins.
    let (got, finished) = watch(&format!("{{]{good}"));
    assert_eq!(
        (got.len(), finished),
        (1, Err(SplitError::Truncated.to_string()))
    );
    // Lines that cannot begin an event are passed over in silence: one error was given.
    let (got, finished) = watch(&format!("<html>\n<body>\n\n  {{\n</html>\n{good}\n"));
    assert_eq!(got, [malformed(0, "`{`"), added(r#"{"a":1}"#)]);
    assert_eq!(finished, Ok(ListEnd::default()));
}

/// Adds to the byte position in a message.
fn shift(text: &str, by: usize) -> String {
    let (before, rest) = text.split_once("byte ").unwrap();
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (position, after) = rest.split_at(digits);
    format!(
        "{before}byte {}{after}",
        position.parse::<usize>().unwrap() + by
    )
}

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
