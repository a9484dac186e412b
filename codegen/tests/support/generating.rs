//! From a configuration to code, as most tests do it.

use larder_codegen::{Config, Generated, configure};

use super::directory::Directory;

/// Writes into the directory's `out`, and says nothing to cargo.
pub fn config(directory: &Directory) -> Config {
    configure()
        .out_dir(directory.path("out"))
        .cargo_instructions(false)
}

/// What was generated, and the code.
pub fn generate(config: Config) -> (Generated, String) {
    let generated = config
        .generate()
        .unwrap_or_else(|errors| panic!("{errors}"));
    let code = std::fs::read_to_string(&generated.file).unwrap();
    (generated, code)
}

/// Why nothing was.
pub fn errors(config: Config) -> String {
    config.generate().expect_err("an error").to_string()
}
