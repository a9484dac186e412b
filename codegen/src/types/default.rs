//! A default of a schema as an expression of its type.

use std::str::FromStr;

use serde_json::Value;

use super::{Body, Place, Struct, Type, Types, variant_names};

/// An expression, whose paths the emitter writes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    /// A type's own default.
    Default,
    Boolean(bool),
    /// A literal of the type that is given.
    I32(i32),
    I64(i64),
    Number(f64),
    Text(String),
    DateTime(String),
    Integer(i64),
    Any(Value),
    List(Vec<Expression>),
    Map(Vec<(String, Expression)>),
    Some(Box<Expression>),
    Boxed(Box<Expression>),
    /// A variant of an enum, by type and name.
    Variant(Place, String),
    /// The variant for values that the enum does not have.
    Other(Place, String, String),
    /// Fields of a struct; the others have their defaults.
    Struct(Place, Vec<(String, Expression)>),
    /// A text where an integer may be, too.
    IntOrText(String),
}

/// `None` where the value is none of that type.
pub(crate) fn expression(value: &Value, of_type: &Type, types: &Types) -> Option<Expression> {
    let boxed = |inner: &Type| expression(value, inner, types).map(Box::new);
    Some(match of_type {
        Type::Any => Expression::Any(value.clone()),
        Type::Boolean => Expression::Boolean(value.as_bool()?),
        Type::I32 => Expression::I32(integer(value)?),
        Type::I64 => Expression::I64(integer(value)?),
        Type::Number => Expression::Number(value.as_f64()?),
        Type::Text => Expression::Text(value.as_str()?.to_owned()),
        Type::DateTime => Expression::DateTime(value.as_str()?.to_owned()),
        Type::IntOrString => match value.as_str() {
            Some(text) => Expression::IntOrText(text.to_owned()),
            None => Expression::Integer(integer(value)?),
        },
        // Nothing but what is absent can be said of types that are not known here.
        Type::ObjectMeta | Type::Foreign(_) | Type::BuiltIn(_) | Type::Definition(_) => {
            empty(value)?
        }
        Type::Optional(inner) => Expression::Some(boxed(inner)?),
        Type::Boxed(inner) => Expression::Boxed(boxed(inner)?),
        Type::List(items) => {
            let values = value.as_array()?.iter();
            let values = values.map(|value| value_of(value, items, types));
            Expression::List(values.collect::<Option<_>>()?)
        }
        Type::Map(values) => {
            let entries = value.as_object()?.iter();
            let entries = entries.map(|(key, value)| {
                let value = value_of(value, values, types)?;
                Some((key.clone(), value))
            });
            Expression::Map(entries.collect::<Option<_>>()?)
        }
        Type::Named(place) => named(value, place, types)?,
    })
}

/// An integer, however it is written: to the server `3.0` and `1e3` are some.
fn integer<T: FromStr>(value: &Value) -> Option<T> {
    /// Above, floating point has gaps.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let number = value.as_number()?;
    let text = match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => format!("{float:.0}"),
        Some(_) => return None,
        None => number.to_string(),
    };
    text.parse().ok()
}

/// An item of a list or a value of a map, which may be null.
fn value_of(value: &Value, of_type: &Type, types: &Types) -> Option<Expression> {
    match of_type {
        Type::Optional(_) if value.is_null() => Some(Expression::Default),
        of_type => expression(value, of_type, types),
    }
}

fn empty(value: &Value) -> Option<Expression> {
    value.as_object()?.is_empty().then_some(Expression::Default)
}

fn named(value: &Value, place: &Place, types: &Types) -> Option<Expression> {
    match types.find(place)? {
        Body::BuiltIn(_) | Body::Definition(_) | Body::Alias(_) => empty(value),
        Body::Choice(values) => {
            let text = value.as_str()?;
            let (variants, other) = variant_names(values);
            let at = values.iter().position(|known| known == text);
            Some(match at.and_then(|at| variants.get(at)) {
                Some(variant) => Expression::Variant(place.clone(), variant.clone()),
                None => Expression::Other(place.clone(), other, text.to_owned()),
            })
        }
        Body::Struct(of) => of_struct(value, place, of, types),
    }
}

fn of_struct(value: &Value, place: &Place, of: &Struct, types: &Types) -> Option<Expression> {
    let mut given = Vec::new();
    let mut rest = Vec::new();
    for (key, value) in value.as_object()? {
        if let Some(field) = of.fields.iter().find(|field| field.json == *key) {
            let value = value_of(value, &field.of_type, types)?;
            given.push((field.name.clone(), value));
        } else if let Some((_, of_type)) = &of.rest {
            rest.push((key.clone(), value_of(value, of_type, types)?));
        }
    }
    if let Some((field, _)) = of.rest.as_ref().filter(|_| !rest.is_empty()) {
        given.push((field.clone(), Expression::Map(rest)));
    }
    Some(if given.is_empty() {
        Expression::Default
    } else {
        Expression::Struct(place.clone(), given)
    })
}
