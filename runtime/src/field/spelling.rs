//! The JSON names that generated types carry, so that another spelling of the same Rust field is refused.
//!
//! The macro knows the property names of Kubernetes' own types, and of no others. A generated type says of each of its fields
//! which property it is, by a type that is called as the property; what rustc then says of a wrong spelling names it:
//!
//! ```text
//! pub enum issuerRef {}                                         // hidden
//! impl Spells<{ hash("issuer_ref") }> for CertificateSpec { type Property = issuerRef; }
//! impl Property<{ hash("issuerRef") }> for issuerRef {}
//! ```
//!
//! `hash` is `larder_naming::hash`. A field that is not there, and a type that says nothing, are none of this module's business.

/// An object of which the field whose Rust name has this hash is read next.
#[doc(hidden)]
pub struct Next<'a, T: ?Sized, const FIELD: u64>(pub &'a T);

/// A type that says which property its field is.
#[doc(hidden)]
pub trait Spells<const FIELD: u64> {
    /// Called as the property is in JSON.
    type Property;
}

/// A property whose name in JSON has this hash.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a path is spelt as in JSON: `{Self}`",
    label = "in JSON this is `{Self}`"
)]
pub trait Property<const NAME: u64> {}

/// Of an object that says how its field is spelt. By value, so that it is found first.
#[doc(hidden)]
pub trait Spelt<'a, T> {
    /// The property of the field.
    type Property;

    /// The object, whose field is spelt so.
    fn __spelt<const NAME: u64>(self) -> &'a T
    where
        Self::Property: Property<NAME>;
}

impl<'a, T: Spells<FIELD>, const FIELD: u64> Spelt<'a, T> for Next<'a, T, FIELD> {
    type Property = T::Property;

    fn __spelt<const NAME: u64>(self) -> &'a T
    where
        T::Property: Property<NAME>,
    {
        self.0
    }
}

/// Of all others.
#[doc(hidden)]
pub trait Unspelt<'a, T: ?Sized> {
    /// The object.
    fn __spelt<const NAME: u64>(self) -> &'a T;
}

impl<'a, T: ?Sized, const FIELD: u64> Unspelt<'a, T> for &Next<'a, T, FIELD> {
    fn __spelt<const NAME: u64>(self) -> &'a T {
        self.0
    }
}
