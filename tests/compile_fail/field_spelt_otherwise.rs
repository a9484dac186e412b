//! Generated types say how their properties are spelt.

use larder::field;

/// As it is generated, but for numbers where `hash` stands.
mod generated {
    use larder::__private::{Property, Spells};
    use larder_naming::hash;

    pub struct Certificate {
        pub issuer_ref: Option<String>,
    }

    #[allow(non_camel_case_types)]
    pub enum issuerRef {}

    impl Spells<{ hash("issuer_ref") }> for Certificate {
        type Property = issuerRef;
    }

    impl Property<{ hash("issuerRef") }> for issuerRef {}
}

use generated::Certificate;

fn main() {
    let _ = field!(Certificate, issuerRef);
    let _ = field!(Certificate, issuer_ref);
    let _ = field!(Certificate, "issuerREF" as issuer_ref);
    let _ = field!(Certificate, issuerRf);
}
