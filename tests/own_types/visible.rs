//! What is emitted is seen by whoever sees the type, at every visibility.

/// A library's own module.
pub mod public {
    use kube::CustomResource;
    use larder::Cached;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// A spec.
    #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Door", namespaced)]
    pub struct DoorSpec {
        /// Whether it is open.
        pub open: bool,
    }

    /// Further in.
    pub mod deeper {
        use super::{Cached, CustomResource, Deserialize, JsonSchema, Serialize};

        #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
        #[kube(
            group = "example.com",
            version = "v1",
            kind = "Hinge",
            selectable = ".spec.side"
        )]
        pub(in super::super) struct HingeSpec {
            side: String,
        }

        #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
        #[kube(
            group = "example.com",
            version = "v1",
            kind = "Screw",
            selectable = ".spec.size"
        )]
        pub(crate) struct ScrewSpec {
            size: i32,
        }

        #[derive(CustomResource, Cached, Deserialize, Serialize, Clone, Debug, JsonSchema)]
        #[kube(
            group = "example.com",
            version = "v1",
            kind = "Nail",
            selectable = ".spec.size"
        )]
        pub(super) struct NailSpec {
            size: i32,
        }
    }

    fn nails(nails: &deeper::NailLister) -> Result<usize, larder::ReadError> {
        let of_size = nails.select(deeper::nail::selectable::SPEC_SIZE.eq(3))?;
        Ok(of_size.count())
    }

    #[test]
    fn a_module_above_sees_them() {
        let _ = nails;
        assert_eq!(deeper::NailInformer::KIND.kind(), "Nail");
    }
}

use public::deeper::{HingeLister, ScrewInformer, hinge};
use public::{DoorLister, DoorNamespaceLister};

fn reads(doors: &DoorLister, hinges: &HingeLister) -> Result<usize, larder::ReadError> {
    let in_web: DoorNamespaceLister = doors.namespace("web");
    let left = hinges.select(hinge::selectable::SPEC_SIDE.eq("left"))?;
    Ok(in_web.list()?.count() + left.count())
}

#[test]
fn names_are_reached_from_where_the_type_is() {
    let _ = reads;
    assert_eq!(ScrewInformer::KIND.kind(), "Screw");
}
