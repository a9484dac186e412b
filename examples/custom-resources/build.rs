//! Types and caches for the definitions in `crds`: made anew whenever one of them changes.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(errors) = larder_codegen::configure().crds("crds/*.yaml").generate() {
        errors.print_for_cargo();
    }
}
