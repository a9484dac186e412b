//! What must not compile, and what the compiler then says. The messages are those of one version of rustc; with another
//! one only the doctests marked `compile_fail` hold.
//!
//! `TRYBUILD=overwrite cargo test --test compile_fail` writes the messages anew, for review.

use std::io::Write as _;
use std::process::Command;

/// The rustc whose messages are recorded.
const RECORDED_WITH: &str = "1.95";

#[test]
fn misuse_is_refused_with_a_message_that_helps() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    if !matches!(&version, Ok(version) if version.starts_with(&format!("rustc {RECORDED_WITH}."))) {
        // Not by a macro, whose output the test harness hides.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: messages of the compiler, which are recorded with rustc {RECORDED_WITH}"
        );
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
