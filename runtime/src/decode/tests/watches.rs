//! Shapes of watches, each cut at every byte.

use super::*;

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
            Got::Object(..) => error.clone(),
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
