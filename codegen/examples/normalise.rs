//! Writes the normalised document of an OpenAPI document to standard output: `normalise DOCUMENT`.
//!
//! `generated/refresh.sh` makes the carried documents with it.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: normalise DOCUMENT");
        return ExitCode::from(2);
    };
    let model = match larder_codegen::read(path) {
        Ok(model) => model,
        Err(errors) => {
            eprintln!("{errors}");
            return ExitCode::FAILURE;
        }
    };
    for note in &model.notes {
        eprintln!("note: {note}");
    }
    let document = larder_codegen::normalised(&model);
    match std::io::stdout().write_all(document.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write: {error}");
            ExitCode::FAILURE
        }
    }
}
