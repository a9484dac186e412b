//! The macros where there is no prelude, every warning is an error, and types are called as the macros' own helpers.
#![no_implicit_prelude]
#![deny(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(
    unused_qualifications,
    unused_results,
    let_underscore_drop,
    trivial_casts,
    unreachable_pub,
    single_use_lifetimes,
    unused_lifetimes
)]

use ::larder::core::v1::{Pod, Service};
use ::larder::{Field, LabelSelector, field, labels};

const IMAGES: Field<Pod, ::std::string::String> = field!(Pod, spec.containers[].image);
const WEB: LabelSelector = labels!("app in (web, api),tier!=front,!canary,rank>3,rank<9,x");

macro_rules! within {
    ($root:ty, $selector:expr, $($path:tt)*) => {
        (field!($root, $($path)*), labels!($selector))
    };
}

macro_rules! around {
    ($path:ident, $key:literal) => {
        within!(Pod, $key, metadata.$path[$key])
    };
}

#[test]
fn the_macros_need_nothing_of_their_surroundings() {
    let pod = <Pod as ::std::default::Default>::default();
    ::std::assert!(IMAGES.keys(&pod).is_empty());
    ::std::assert!(!WEB.is_everything());
    let (label, selector) = around!(labels, "app");
    ::std::assert_eq!(label.path(), "metadata.labels[\"app\"]");
    ::std::assert_eq!(::std::string::ToString::to_string(&selector), "app");
    ::std::assert!(
        field!(Service, spec.ports[].targetPort)
            .keys(&<Service as ::std::default::Default>::default())
            .is_empty()
    );
    ::std::assert!(field!(Pod, metadata.labels{}).keys(&pod).is_empty());
    ::std::assert!(
        field!(::larder::core::v1::Pod, metadata.annotations[])
            .keys(&pod)
            .is_empty()
    );
}

struct At {
    name: ::std::string::String,
    next: ::std::option::Option<Next>,
}

struct Next {
    size: i32,
}

#[test]
fn types_may_be_called_as_the_helpers_of_the_macro() {
    let at = At {
        name: ::std::convert::From::from("a"),
        next: ::std::option::Option::Some(Next { size: 2 }),
    };
    ::std::assert_eq!(field!(At, name).keys(&at), ["a"]);
    ::std::assert_eq!(field!(At, next.size).keys(&at), [2]);
    ::std::assert_eq!(field!(Next, size).keys(&Next { size: 3 }), [3]);
}

/// Of everything, with methods that are called as one would call those of the macro's helpers.
trait Handy {
    fn key(&self) -> u8 {
        1
    }

    fn object(&self) -> u8 {
        2
    }

    fn present(&self) -> u8 {
        3
    }

    fn items(&self) -> u8 {
        4
    }

    fn spelt(&self) -> u8 {
        5
    }
}

impl<T> Handy for T {}

#[test]
fn a_trait_of_everything_in_scope_changes_nothing() {
    let pod = <Pod as ::std::default::Default>::default();
    ::std::assert_eq!(
        (
            pod.key(),
            pod.object(),
            pod.present(),
            pod.items(),
            pod.spelt()
        ),
        (1, 2, 3, 4, 5)
    );
    ::std::assert!(
        field!(Pod, spec.containers[].ports[].containerPort)
            .keys(&pod)
            .is_empty()
    );
    ::std::assert!(field!(Pod, metadata.labels["app"]).keys(&pod).is_empty());
}
