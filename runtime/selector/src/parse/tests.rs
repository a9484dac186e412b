use std::collections::BTreeMap;

use super::parse;
use crate::{Requirement, Test};

fn labels(text: &str) -> BTreeMap<&str, &str> {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .collect()
}

fn selects(requirements: &[Requirement], labels: &BTreeMap<&str, &str>) -> bool {
    requirements
        .iter()
        .all(|one| one.holds(labels.get(one.key()).copied()))
}

fn printed(requirements: &[Requirement]) -> String {
    let texts: Vec<_> = requirements.iter().map(ToString::to_string).collect();
    texts.join(",")
}

#[test]
fn selects_as_the_api_server_does() {
    let rows = [
        ("", "", true),
        (" \t", "", true),
        ("a=b", "a=b", true),
        ("a==b", "a=b", true),
        ("a = b", "a=b", true),
        (" a\n=\tb ", "a=b", true),
        ("a=b", "a=c", false),
        ("a=b", "", false),
        ("a=", "a=", true),
        ("a=,b", "a=,b=1", true),
        ("a=", "", false),
        ("a!=b", "a=c", true),
        ("a!=b", "", true),
        ("a!=b", "a=b", false),
        ("a in (b,c)", "a=c", true),
        ("a in(b)", "a=b", true),
        ("a in (b, c)", "a=d", false),
        ("a in (b,)", "a=", true),
        ("a in (,b)", "a=", true),
        ("a in ( )", "a=", true),
        ("a notin ()", "a=", false),
        ("a in (b,,c)", "a=", true),
        ("a notin (b,c)", "", true),
        ("a notin (b,c)", "a=b", false),
        ("a", "a=x", true),
        ("a", "b=x", false),
        ("!a", "b=x", true),
        ("! a", "a=x", false),
        ("a>3", "a=4", true),
        ("a > 3", "a=3", false),
        ("a>3", "a=x", false),
        ("a<3", "a=-7", true),
        ("a<3", "", false),
        ("a>3,a<5", "a=4", true),
        ("a>3,a<5", "a=5", false),
        ("a=b , c in (d) ,!e,f", "a=b,c=d,f=", true),
        ("a=b,c in (d),!e,f", "a=b,c=d,f=,e=1", false),
        ("app.kubernetes.io/name=x", "app.kubernetes.io/name=x", true),
        ("in in (in)", "in=in", true),
        ("notin", "notin=x", true),
    ];
    for (selector, given, expected) in rows {
        let requirements = parse(selector).unwrap();
        assert_eq!(
            selects(&requirements, &labels(given)),
            expected,
            "{selector:?} on {given:?}"
        );
        let text = printed(&requirements);
        assert_eq!(
            parse(&text).as_ref(),
            Ok(&requirements),
            "{selector:?} prints as {text:?}"
        );
    }
}

#[test]
fn refuses_what_the_api_server_refuses_and_says_where_and_why() {
    let rows = [
        (",", 0, "key is missing"),
        ("a=b,", 4, "nothing follows"),
        ("a=b, ", 5, "nothing follows"),
        ("a,,b", 2, "key is missing"),
        ("a=b c=d", 4, "expected ','"),
        ("a=b\u{a0},c", 2, "no label value"),
        ("a==b=c", 4, "expected ','"),
        ("a=(b)", 2, "expected ','"),
        ("!a=b", 2, "expected ','"),
        ("a in b", 5, "stand in"),
        ("a in (b", 7, "end with ')'"),
        ("a in (b c)", 8, "separated by ','"),
        ("a in (b,(c))", 8, "separated by ','"),
        ("a in (b)c", 8, "expected ','"),
        ("tier is (b)", 5, "no operator: use ="),
        ("a !b", 2, "an operator belongs after"),
        ("a>b", 2, "only an integer"),
        ("a>=5", 2, "only an integer"),
        ("a>-5", 2, "only an integer"),
        ("a<+5", 2, "only an integer"),
        ("a<9223372036854775808", 2, "only an integer"),
        ("=b", 0, "key is missing"),
        ("!=b", 1, "key is missing"),
        ("a=b/c", 2, "no label value"),
        ("a in (b, -c)", 9, "no label value"),
        ("-a", 0, "no label key"),
        ("Up/a", 0, "no label key"),
        ("x, a/b/c", 3, "no label key"),
        ("/a", 0, "no label key"),
        ("a.-b/c", 0, "no label key"),
        ("!", 1, "key is missing"),
        ("é", 0, "no label key"),
    ];
    for (selector, at, why) in rows {
        let refused = parse(selector).unwrap_err();
        assert!(refused.to_string().contains(why), "{selector:?}: {refused}");
        assert_eq!(refused.at(), Some(at), "{selector:?}: {refused}");
    }
    let long = |count: usize| "x".repeat(count);
    assert!(parse(&format!("a={}", long(63))).is_ok());
    assert!(parse(&format!("a={}", long(64))).is_err());
    assert!(parse(&format!("{}=a", long(64))).is_err());
    assert!(parse(&format!("{}/a", vec![long(50); 5].join("."))).is_err());
}

#[test]
fn what_is_made_of_parts_is_checked_as_a_text_is() {
    let values = |values: &[&str]| Test::In(values.iter().copied().collect());
    for (key, test, why) in [
        ("", Test::Exists, "key is missing"),
        ("a/b/c", Test::Absent, "no label key"),
        ("a", values(&[]), "no value"),
        ("a", values(&["b", "c d"]), "no label value"),
        ("a", Test::Greater(-1), "no label value"),
    ] {
        let refused = Requirement::new(key, test).unwrap_err();
        assert!(refused.to_string().contains(why), "{key:?}: {refused}");
        assert_eq!(refused.at(), None);
    }
    let good = Requirement::new("a", values(&["c", "b", "c"])).unwrap();
    assert_eq!(good.to_string(), "a in (b,c)");
    assert_eq!(parse("a in (b, c)"), Ok(vec![good]));
}

#[test]
fn no_text_panics_and_what_is_taken_prints_as_itself() {
    let given = std::env::var("LARDER_SEED").ok();
    let seed = given.map_or_else(
        || fastrand::u64(..),
        |text| text.parse().expect("LARDER_SEED is a number"),
    );
    println!("LARDER_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let parts = [
        "a", "b", "in", "notin", "1", "-", ".", "/", "=", "==", "!=", "!", ",", "(", ")", "<", ">",
        " ", "\t", "é", "\u{0}",
    ];
    let mut taken = 0;
    for _ in 0..20_000 {
        let count = random.usize(0..10);
        let text: String = (0..count)
            .map(|_| parts[random.usize(..parts.len())])
            .collect();
        match parse(&text) {
            Ok(requirements) => {
                let printed = printed(&requirements);
                assert_eq!(
                    parse(&printed).as_ref(),
                    Ok(&requirements),
                    "{text:?} as {printed:?}"
                );
                taken += 1;
            }
            Err(refused) => {
                let at = refused.at().expect("a text has places");
                assert!(text.is_char_boundary(at), "{text:?}: {at}");
            }
        }
    }
    assert!(taken > 1_000, "only {taken} texts were selectors");
}
