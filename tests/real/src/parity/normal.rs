//! Replaces what differs from run to run, so that two transcripts can be compared as text.

use serde_json::Value;

use super::Saved;

/// Keys whose values are made up by the server, with what stands for them.
const MADE_UP: &[(&str, &str)] = &[
    ("uid", "<uid>"),
    ("creationTimestamp", "<time>"),
    ("deletionTimestamp", "<time>"),
    ("lastTransitionTime", "<time>"),
    ("continue", "<token>"),
];

/// `{NAME}` replaced by the saved values.
pub(super) fn fill(text: &str, saved: &Saved) -> String {
    let filled = |text: String, (name, value): (&String, &String)| {
        text.replace(&format!("{{{name}}}"), value)
    };
    saved.iter().fold(text.to_owned(), filled)
}

/// The same in a request's path, where values are percent-encoded.
pub(super) fn fill_path(path: &str, saved: &Saved) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encode = |byte: u8| {
        if is_plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    // Most requests name few of the values, and one of these is long.
    let named = saved
        .iter()
        .filter(|(name, _)| path.contains(&format!("{{{name}}}")));
    let encoded = named.map(|(name, value)| (name.clone(), value.bytes().map(encode).collect()));
    fill(path, &encoded.collect())
}

/// The same in every text of a JSON value.
pub(super) fn fill_value(value: &Value, saved: &Saved) -> Value {
    match value {
        Value::String(text) => Value::String(fill(text, saved)),
        Value::Array(items) => items.iter().map(|item| fill_value(item, saved)).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (fill(key, saved), fill_value(value, saved)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// What of an answer counts, and how saved values are named in it.
pub(super) struct Normal<'a> {
    pub(super) saved: &'a Saved,
    pub(super) drop: Vec<&'a str>,
    pub(super) only: &'a [String],
}

impl Normal<'_> {
    /// One JSON value, as pretty text with sorted keys.
    pub(super) fn json(&self, value: &Value) -> String {
        let mut shown = value.clone();
        self.name_list_version(&mut shown);
        for pointer in &self.drop {
            remove(&mut shown, pointer);
        }
        if !self.only.is_empty() {
            shown = self
                .only
                .iter()
                .map(|pointer| (pointer.clone(), select(&shown, pointer)))
                .collect();
        }
        let shown = self.value("", shown);
        serde_json::to_string_pretty(&shown).unwrap_or_else(|error| error.to_string())
    }

    fn value(&self, key: &str, value: Value) -> Value {
        // With `only`, the key is a pointer.
        let key = key.rsplit('/').next().unwrap_or(key);
        match value {
            Value::String(text) => Value::String(self.text(key, &text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.value(key, item))
                .collect(),
            Value::Object(fields) => {
                // Which manager set what is no matter of list and watch, and few servers but the real one keep it.
                let counted = fields.into_iter().filter(|(key, _)| key != "managedFields");
                counted
                    .map(|(key, value)| (key.clone(), self.value(&key, value)))
                    .collect()
            }
            other => other,
        }
    }

    fn text(&self, key: &str, text: &str) -> String {
        if let Some((_, name)) = MADE_UP
            .iter()
            .find(|(made_up, _)| *made_up == key && !text.is_empty())
        {
            return (*name).to_owned();
        }
        if key == "resourceVersion" && !text.is_empty() {
            // "0" is a name in itself: the server never made it up.
            return if text == "0" {
                text.to_owned()
            } else {
                self.version(text, false)
            };
        }
        self.words(text, key == "message")
    }

    /// The version of a list or a bookmark is any from the last change on, so that it equals an object's only by chance: it is named
    /// after another list's or not at all.
    fn name_list_version(&self, shown: &mut Value) {
        let is_list = shown["kind"]
            .as_str()
            .is_some_and(|kind| kind.ends_with("List"));
        let is_bookmark = shown["type"] == "BOOKMARK";
        let version = match (is_list, is_bookmark) {
            (true, _) => shown.pointer_mut("/metadata/resourceVersion"),
            (_, true) => shown.pointer_mut("/object/metadata/resourceVersion"),
            _ => None,
        };
        if let Some(Value::String(version)) = version {
            *version = self.version(version, true);
        }
    }

    /// A version by the name under which it was saved: of lists, those that begin with `list`; of objects, the others.
    fn version(&self, version: &str, of_list: bool) -> String {
        if !version.bytes().all(|byte| byte.is_ascii_digit()) {
            // Named already.
            return version.to_owned();
        }
        let candidates = self
            .saved
            .iter()
            .filter(|(name, _)| name.starts_with("list") == of_list);
        let saved = candidates.into_iter().find(|(_, value)| *value == version);
        saved.map_or_else(|| "<version>".to_owned(), |(name, _)| format!("{{{name}}}"))
    }

    /// A text of the server's own, such as a plain body or a header: saved values by name, versions by a placeholder.
    pub(super) fn message(&self, text: &str) -> String {
        self.words(text, true)
    }

    /// Saved values by name, where they stand as words of their own; numbers only in `messages`, as "1" elsewhere is data.
    fn words(&self, text: &str, messages: bool) -> String {
        let mut shown = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let (word, after) =
                rest.split_at(rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()));
            let (gap, next) = after.split_at(after.find(is_word).unwrap_or(after.len()));
            let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            let named = if is_number && !messages {
                word.to_owned()
            } else {
                self.word(word, is_number, &shown)
            };
            shown.push_str(&named);
            shown.push_str(gap);
            rest = next;
        }
        shown
    }

    /// The server's own present version, which equals a saved one only by chance, is known by what stands before it.
    fn word(&self, word: &str, is_number: bool, before: &str) -> String {
        if is_number && (before.ends_with("current: ") || before.ends_with('(')) {
            return "<version>".to_owned();
        }
        let saved = self.saved.iter().find(|(_, value)| *value == word);
        saved.map_or_else(|| word.to_owned(), |(name, _)| format!("{{{name}}}"))
    }
}

/// The parts of a pointer, unescaped as RFC 6901 says.
fn parts(pointer: &str) -> impl Iterator<Item = String> {
    pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
}

fn remove(value: &mut Value, pointer: &str) {
    let parts: Vec<String> = parts(pointer).collect();
    if let Some((last, path)) = parts.split_last() {
        remove_at(value, path, last);
    }
}

fn remove_at(value: &mut Value, path: &[String], last: &str) {
    let Some((first, rest)) = path.split_first() else {
        if let Value::Object(fields) = value {
            fields.retain(|key, _| key != last && last != "*");
        }
        return;
    };
    match value {
        Value::Array(items) if first == "*" => items
            .iter_mut()
            .for_each(|item| remove_at(item, rest, last)),
        Value::Object(fields) if first == "*" => fields
            .values_mut()
            .for_each(|field| remove_at(field, rest, last)),
        other => {
            let pointer = format!("/{}", first.replace('~', "~0").replace('/', "~1"));
            if let Some(inner) = other.pointer_mut(&pointer) {
                remove_at(inner, rest, last);
            }
        }
    }
}

/// What is at a pointer, `"<absent>"` if nothing. Under a `*`, what is there in each element; under `[KEY=TEXT]`, in the element of an
/// array whose member KEY is TEXT.
fn select(value: &Value, pointer: &str) -> Value {
    let parts: Vec<String> = parts(pointer).collect();
    select_at(value, &parts)
}

fn select_at(value: &Value, path: &[String]) -> Value {
    let absent = || Value::from("<absent>");
    let Some((first, rest)) = path.split_first() else {
        return value.clone();
    };
    let condition = first
        .strip_prefix('[')
        .and_then(|part| part.strip_suffix(']'))
        .and_then(|part| part.split_once('='));
    match (value, condition) {
        (Value::Array(items), Some((key, text))) => {
            let found = items.iter().find(|item| item[key] == text);
            found.map_or_else(absent, |item| select_at(item, rest))
        }
        (Value::Array(items), _) if first == "*" => {
            items.iter().map(|item| select_at(item, rest)).collect()
        }
        (Value::Array(items), _) => {
            let found = first.parse().ok().and_then(|index: usize| items.get(index));
            found.map_or_else(absent, |item| select_at(item, rest))
        }
        (Value::Object(fields), _) if first == "*" => fields
            .iter()
            .map(|(key, field)| (key.clone(), select_at(field, rest)))
            .collect(),
        (Value::Object(fields), _) => fields
            .get(first)
            .map_or_else(absent, |field| select_at(field, rest)),
        _ => absent(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn saved() -> Saved {
        Saved::from([
            ("ns".to_owned(), "parity-x".to_owned()),
            ("first".to_owned(), "41".to_owned()),
        ])
    }

    fn normal(saved: &Saved) -> Normal<'_> {
        Normal {
            saved,
            drop: Vec::new(),
            only: &[],
        }
    }

    #[test]
    fn made_up_values_get_names_and_saved_ones_their_own() {
        let saved = saved();
        let answer = json!({"metadata": {"uid": "a", "resourceVersion": "41", "namespace": "parity-x",
            "managedFields": [1], "creationTimestamp": null}, "list": {"resourceVersion": "42", "continue": ""}});
        let expected = json!({"metadata": {"uid": "<uid>", "resourceVersion": "{first}", "namespace": "{ns}",
            "creationTimestamp": null}, "list": {"resourceVersion": "<version>", "continue": ""}});
        assert_eq!(
            normal(&saved).json(&answer),
            serde_json::to_string_pretty(&expected).unwrap()
        );
    }

    #[test]
    fn versions_of_lists_and_bookmarks_are_named_after_lists_only() {
        let mut saved = saved();
        let of = |saved: &Saved, value: Value| normal(saved).json(&value).contains("{first}");
        let list = || json!({"kind": "PodList", "metadata": {"resourceVersion": "41"}});
        assert!(of(
            &saved,
            json!({"kind": "Pod", "metadata": {"resourceVersion": "41"}})
        ));
        assert!(!of(&saved, list()));
        assert!(!of(
            &saved,
            json!({"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "41"}}})
        ));
        saved.insert("list-page".to_owned(), "41".to_owned());
        assert!(normal(&saved).json(&list()).contains("{list-page}"));
    }

    #[test]
    fn versions_in_messages_are_replaced_and_other_numbers_are_not() {
        let saved = saved();
        let shown = normal(&saved).message(
            "Too large resource version: 9000, current: 57 (58); 41 parity-x-y in parity-x",
        );
        assert_eq!(
            shown,
            "Too large resource version: 9000, current: <version> (<version>); {first} parity-x-y in {ns}"
        );
    }

    #[test]
    fn pointers_drop_and_select_under_stars() {
        let mut list = json!({"items": [{"spec": 1, "a/b": 2}, {"spec": 3}]});
        assert_eq!(select(&list, "/items/*/spec"), json!([1, 3]));
        assert_eq!(select(&list, "/items/*/a~1b"), json!([2, "<absent>"]));
        assert_eq!(select(&list, "/items/[spec=3]/spec"), json!("<absent>"));
        assert_eq!(
            select(
                &json!([{"name": "x", "v": 1}, {"name": "y", "v": 2}]),
                "/[name=y]/v"
            ),
            json!(2)
        );
        remove(&mut list, "/items/*/spec");
        assert_eq!(list, json!({"items": [{"a/b": 2}, {}]}));
    }

    #[test]
    fn saved_values_fill_texts_and_keys() {
        assert_eq!(
            fill_value(&json!({"{ns}": ["{first}+{other}"]}), &saved()),
            json!({"parity-x": ["41+{other}"]})
        );
    }
}
