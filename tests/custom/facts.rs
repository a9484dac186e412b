//! What a definition says beside its schemas, and the traits of objects.

use k8s_openapi::{ClusterResourceScope, ListableResource, NamespaceResourceScope, Resource};

use super::golden::LEFT_OUT;
use super::golden::odd_example_com::v1::{Quirk, quirk};
use super::golden::shop_example_com::v1::{Gadget, Lock, gadget};
use super::golden::shop_example_com::v1beta1;

#[test]
fn facts_are_constants() {
    assert_eq!(gadget::SINGULAR, "gadget");
    assert_eq!(gadget::SHORT_NAMES, ["gd", "gdt"]);
    assert_eq!(gadget::CATEGORIES, ["all", "shop"]);
    const { assert!(gadget::HAS_STATUS && !quirk::HAS_STATUS) };
    let scale = gadget::SCALE.unwrap();
    assert_eq!(
        (
            scale.spec_replicas,
            scale.status_replicas,
            scale.label_selector
        ),
        (
            ".spec.replicas",
            ".status.replicas",
            Some(".status.selector")
        )
    );
    let [color, age] = gadget::PRINTER_COLUMNS else {
        panic!("two columns")
    };
    assert_eq!(
        (
            color.name,
            color.column_type,
            color.json_path,
            color.description,
            color.priority
        ),
        ("Color", "string", ".spec.color", "Its color.", 0)
    );
    assert_eq!(
        (age.name, age.column_type, age.priority),
        ("Age", "date", 1)
    );
    let selectable: Vec<&str> = gadget::selectable::ALL
        .iter()
        .map(|field| field.path())
        .collect();
    assert_eq!(
        selectable,
        [
            "metadata.name",
            "metadata.namespace",
            "spec.color",
            "spec.serialNumber"
        ]
    );
    assert!(quirk::SCALE.is_none());
    assert_eq!(
        (quirk::SINGULAR, quirk::selectable::ALL.len()),
        ("quirk", 1)
    );
    assert_eq!(
        LEFT_OUT,
        ["shop.example.com/v1alpha1/Gadget: its definition says that this version is not served"]
    );
}

#[test]
fn objects_are_resources() {
    fn of<T: ListableResource>() -> [&'static str; 5] {
        [T::API_VERSION, T::GROUP, T::VERSION, T::KIND, T::LIST_KIND]
    }
    fn in_namespaces<T: Resource<Scope = NamespaceResourceScope>>() {}
    fn in_the_cluster<T: Resource<Scope = ClusterResourceScope>>() {}
    in_namespaces::<Gadget>();
    in_the_cluster::<Quirk>();
    assert_eq!(
        of::<Gadget>(),
        [
            "shop.example.com/v1",
            "shop.example.com",
            "v1",
            "Gadget",
            "GadgetList"
        ]
    );
    assert_eq!(v1beta1::Gadget::API_VERSION, "shop.example.com/v1beta1");
    assert_eq!(<Lock as kube::Resource>::plural(&()), "locks");
    assert_eq!(
        <Lock as kube::Resource>::url_path(&(), None),
        "/apis/shop.example.com/v1/locks"
    );
}
