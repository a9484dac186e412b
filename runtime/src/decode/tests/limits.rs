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
                key: None,
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
fn c150_an_object_that_is_too_large_is_named_together_with_the_option() {
    let options = SplitOptions {
        max_object_bytes: 120,
        ..SplitOptions::default()
    };
    let object = |metadata: &str| format!(r#"{{{metadata},"data":"{}"}}"#, "s3cret".repeat(99));
    let keyed = object(r#""metadata":{"namespace":"web","name":"big"}"#);
    let named = object(r#""metadata":{"name":"big"}"#);
    let late = format!(r#"{{"data":"{}"}}"#, "s3cret".repeat(99));
    let long = object(&format!(r#""metadata":{{"name":"{}"}}"#, "n".repeat(400)));
    for (object, says) in [
        (keyed, "the object \"web/big\" is larger"),
        (named, "the object \"big\" is larger"),
        (late, "an object is larger"),
        (long, "an object is larger"),
    ] {
        let list = format!(r#"{{"items":[{object}]}}"#);
        let event = format!(r#"{{"type":"ADDED","object":{object}}}"#);
        let splitters = [Splitter::list(options), Splitter::watch(options)];
        for (mut splitter, body) in splitters.into_iter().zip([list, event]) {
            splitter.push(body.as_bytes());
            let error = splitter.next().unwrap().map(|_| ()).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with(says), "{text}");
            assert!(text.contains("120 bytes"), "{text}");
            assert!(
                text.contains("ReflectorOptions::max_object_bytes"),
                "{text}"
            );
            assert!(!format!("{text} {error:?}").contains("s3cret"));
        }
    }
}

#[test]
fn labels_and_annotations_are_counted() {
    let map = |count: usize| {
        let members: Vec<String> = (0..count).map(|n| format!(r#""k{n}":"v""#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let count = |metadata: String| {
        let object = format!(
            r#"{{"labels":{},"metadata":{{{metadata}}},"spec":{{"metadata":{{"labels":{}}}}}}}"#,
            map(9),
            map(9)
        );
        RawBuffer::new(object).unwrap().raw().most_labels()
    };
    assert_eq!(count(r#""name":"a""#.into()), 0);
    assert_eq!(count(r#""labels":{},"annotations":null"#.into()), 0);
    assert_eq!(count(format!(r#""labels":{}"#, map(5))), 5);
    assert_eq!(
        count(format!(r#""annotations":{},"labels":{}"#, map(7), map(5))),
        7
    );
    assert_eq!(
        count(format!(
            r#""labels":{},"managedFields":[{}],"annotations":{}"#,
            map(3),
            map(8),
            map(2)
        )),
        3
    );
}

#[test]
fn nesting_a_million_deep_takes_no_stack() {
    use k8s_openapi::api::apps::v1::ControllerRevision;
    use k8s_openapi::api::core::v1::Pod;
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

    fn outcome<T: serde::de::DeserializeOwned>(object: &str) -> Result<(), DecodeErrorKind> {
        let list = format!(r#"{{"items":[{object},{{"metadata":{{"name":"after"}}}}]}}"#);
        let mut splitter = Splitter::list(SplitOptions::default());
        let mut decoded = Vec::new();
        for chunk in list.as_bytes().chunks(1 << 16) {
            splitter.push(chunk);
            while let Some(item) = splitter.next() {
                let item = item.unwrap().object;
                decoded.push((
                    item.name().unwrap().into_owned(),
                    item.decode::<T>().map(drop),
                ));
            }
        }
        splitter.finish().unwrap();
        let names: Vec<&str> = decoded.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["deep", "after"], "it harms no other object");
        decoded.swap_remove(0).1.map_err(|error| error.kind())
    }

    let deep = |open: &str, close: &str| {
        const DEPTH: usize = 1_000_000;
        format!("{}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    let tests = move || {
        for (open, close) in [("[", "]"), (r#"{"a":["#, "]}")] {
            let deep = deep(open, close);
            let managed = format!(r#"{{"metadata":{{"name":"deep","managedFields":[{deep}]}}}}"#);
            assert_eq!(outcome::<Pod>(&managed), Ok(()), "they are cut out unread");
            let limited = Err(DecodeErrorKind::DepthLimit);
            let unknown = format!(r#"{{"metadata":{{"name":"deep"}},"unknown":{deep}}}"#);
            assert_eq!(outcome::<Pod>(&unknown), limited);
            let any = format!(r#"{{"metadata":{{"name":"deep"}},"data":{deep},"revision":1}}"#);
            assert_eq!(outcome::<ControllerRevision>(&any), limited);
            let schema = format!(
                r#"{{"metadata":{{"name":"deep"}},"spec":{{"versions":[{{"schema":{{"openAPIV3Schema":{{"default":{deep}}}}}}}]}}}}"#
            );
            assert_eq!(outcome::<CustomResourceDefinition>(&schema), limited);
            assert_eq!(
                crate::decode_bytes::<serde_json::Value>(deep.as_bytes())
                    .unwrap_err()
                    .kind(),
                DecodeErrorKind::DepthLimit
            );
        }
        let properties = deep(r#"{"properties":{"a":"#, "}}");
        let schema = format!(
            r#"{{"metadata":{{"name":"deep"}},"spec":{{"versions":[{{"schema":{{"openAPIV3Schema":{properties}}}}}]}}}}"#
        );
        assert_eq!(
            outcome::<CustomResourceDefinition>(&schema),
            Err(DecodeErrorKind::DepthLimit)
        );
    };
    // What a worker of tokio has. Frames of a debug build are several times those of a release.
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(tests).unwrap().join().unwrap();
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
