//! JSON values whose arrays and strings have their exact length.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::parts::Rest;

/// As much is reserved for an array before its first element is read, in elements: a length is what a peer says.
const RESERVED: usize = 32 * 1024;

/// The members of an object other than those that every object has.
impl Rest for Map<String, Value> {
    type Name = String;

    fn name(text: &str) -> String {
        text.to_owned()
    }

    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        name: String,
        members: &mut A,
    ) -> Result<(), A::Error> {
        let Exact(value) = members.next_value()?;
        self.insert(name, value);
        Ok(())
    }
}

/// Decodes as [`Value`] does, which lets arrays grow by doubling and leaves them so.
struct Exact(Value);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any).map(Self)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // JSON has no number that is not finite.
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value.into_boxed_str().into_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let length = elements.size_hint().unwrap_or_default();
        let mut array = Vec::with_capacity(length.min(RESERVED));
        while let Some(Exact(element)) = elements.next_element()? {
            array.push(element);
        }
        array.shrink_to_fit();
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some((name, Exact(value))) = members.next_entry::<String, Exact>()? {
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}
