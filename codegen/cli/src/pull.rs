//! `larder openapi pull`.

use std::path::Path;

use larder_codegen::normalised;
use serde::Serialize;

use crate::args::{Output, Pull};
use crate::cluster::Groups;
use crate::file::{self, Written};
use crate::text::{plural, print, print_bytes};
use crate::{Outcome, cluster, model};

#[derive(Serialize)]
struct Pulled {
    file: String,
    changed: bool,
    kinds: usize,
    types: usize,
}

pub(crate) fn run(args: &Pull, output: Output) -> anyhow::Result<Outcome> {
    let groups = match args.groups.as_slice() {
        [] => Groups::All,
        groups => Groups::Each(groups),
    };
    let model = cluster::model(&args.connection, groups)?;
    model::note(&model);
    let document = normalised(&model);
    if args.file == Path::new("-") {
        return print_bytes(document.as_bytes());
    }
    let written = file::write(&args.file, document.as_bytes())?;
    let pulled = Pulled {
        file: args.file.display().to_string(),
        changed: written == Written::Changed,
        kinds: model.kinds.len(),
        types: model.types.len(),
    };
    print(&pulled, output, |pulled| {
        let state = if pulled.changed {
            "written"
        } else {
            "unchanged"
        };
        let (kinds, types) = (plural(pulled.kinds, "kind"), plural(pulled.types, "type"));
        format!("{}: {kinds}, {types}, {state}", pulled.file)
    })?;
    Ok(Outcome::Fine)
}
