//! The indexes that `larder explain` prints for the fixtures are indexes, and their keys are what it says.

use k8s_openapi::jiff::Timestamp;
use larder::{Field, FieldKey, IntOrStringKey};

fn keys_are<K, T, V: FieldKey<Key = K>>(_: Field<T, V>) {}

include!("../../codegen/tests/golden/explained.rs");
