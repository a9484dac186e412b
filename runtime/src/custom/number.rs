//! Numbers as the API server writes them.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

/// What holds numbers, written so that those without a fraction have no point: `3`, not `3.0`.
///
/// The server stores `3` and reads it as an integer; `3.0` it reads as a floating point number, so that an object which was not
/// changed would count as changed, and get a new generation with each update. Source: `encoding/json` of Go for what is written,
/// `UnmarshalCaseSensitivePreserveInts` of sigs.k8s.io/json for what is read, `PrepareForUpdate` of custom resources for the generation.
#[doc(hidden)]
pub struct Numbers<'a, T>(pub &'a T);

/// A number, or something with numbers in it.
#[doc(hidden)]
pub trait WriteNumbers {
    /// Writes it.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

impl<T: WriteNumbers> Serialize for Numbers<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl WriteNumbers for f64 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// What has more digits is no `i64` everywhere.
        const INTEGERS: f64 = 9e18;
        if self.fract() == 0.0 && self.abs() < INTEGERS {
            serializer.serialize_i64(*self as i64)
        } else {
            serializer.serialize_f64(*self)
        }
    }
}

impl<T: WriteNumbers> WriteNumbers for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl<T: WriteNumbers> WriteNumbers for Box<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::write(self, serializer)
    }
}

impl<T: WriteNumbers> WriteNumbers for Vec<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Numbers))
    }
}

impl<T: WriteNumbers> WriteNumbers for BTreeMap<String, T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(name, value)| (name, Numbers(value))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Weights {
        all: BTreeMap<String, Vec<Option<f64>>>,
        least: Option<f64>,
        most: Option<Box<f64>>,
        usual: f64,
    }

    crate::__private::object!(
        Weights,
        ["all", "least", "most", "usual"],
        {0 all "all" as Numbers, 3 usual "usual" as Numbers} {1 least "least" as Numbers} {2 most "most" as Numbers}
    );

    #[test]
    fn a_number_without_a_fraction_is_written_as_the_server_writes_it() {
        for (read, written) in [
            ("3", "3"),
            ("3.0", "3"),
            ("1e3", "1000"),
            ("-0.0", "0"),
            ("-2", "-2"),
            ("0.5", "0.5"),
            ("9007199254740992", "9007199254740992"),
            ("1e21", "1e+21"),
            ("1e-7", "1e-7"),
        ] {
            let of = |number: &str| {
                format!(
                    r#"{{"all":{{"a":[{number},null]}},"usual":{number},"least":{number},"most":{number}}}"#
                )
            };
            let weights: Weights = serde_json::from_str(&of(read)).unwrap();
            assert_eq!(serde_json::to_string(&weights).unwrap(), of(written));
        }
        assert_eq!(
            serde_json::to_string(&Weights::default()).unwrap(),
            r#"{"all":{},"usual":0,"least":null}"#
        );
    }
}
