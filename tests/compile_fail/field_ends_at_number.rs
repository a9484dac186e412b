//! A number with a fraction has no total order.

use larder::field;
use larder::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

fn main() {
    let _ = field!(JSONSchemaProps, maximum);
}
