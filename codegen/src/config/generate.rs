//! From what was configured to a file: documents are read, the plan is made, code is emitted and written.

use std::path::PathBuf;

use super::Config;
use crate::built_in::BuiltIn;
use crate::cargo::{KubernetesVersion, print_rerun_if_changed, print_warning};
use crate::crd;
use crate::emit::{self, Paths};
use crate::error::{Diagnostics, Error, Errors, Place, Problem};
use crate::foreign;
use crate::model::{Model, Object, Shape};
use crate::output::write_if_changed;
use crate::plan::{Choice, GeneratedKind, LeftOut, Sources, plan};
use crate::read::read;
use crate::types::apply;
use crate::warning::{self, Warning};

/// What [`Config::generate`] did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The file of Rust code, for `include!`.
    pub file: PathBuf,
    /// A file of Markdown that lists what was left out; empty if nothing was.
    pub left_out_file: PathBuf,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// What was emitted, sorted by group, version and kind.
    pub kinds: Vec<GeneratedKind>,
    /// The types that were emitted for definitions of the document, which kinds share: their paths below the root of what was
    /// emitted.
    pub definitions: Vec<String>,
    /// How many documents among the definitions of custom resources are something else, and were skipped.
    pub other_documents: usize,
    /// What was passed over in definitions of custom resources, each with its place. Cargo shows them as warnings.
    pub warnings: Vec<Warning>,
    /// What was noticed in the OpenAPI document and passed over; nothing emitted depends on it.
    pub notes: Vec<String>,
    /// Whether a file changed; an unchanged one is not written.
    pub changed: bool,
}

impl Config {
    pub(super) fn generate_here(&self) -> Result<Generated, Errors> {
        let mut diagnostics = Diagnostics::default();
        let paths = Paths::parse(&self.runtime_path, &self.k8s_openapi_path, &mut diagnostics);
        let out_dir = self
            .out_dir
            .clone()
            .or_else(|| std::env::var_os("OUT_DIR").map(Into::into));
        if out_dir.is_none() {
            let missing = "there is no OUT_DIR: outside of a build script set `out_dir`";
            diagnostics.push(Error::of_option("out_dir", Problem::Missing(missing)));
        }
        if self.openapi.is_none() && self.crds.is_empty() {
            let missing = "nothing was given to generate from: set `openapi` or `crds`";
            diagnostics.push(Error::of_option("openapi", Problem::Missing(missing)));
        }
        let sources = self.read_sources(&mut diagnostics);
        let (Some(paths), Some(out_dir), Some(mut sources)) = (paths, out_dir, sources) else {
            return Err(unfinished(diagnostics));
        };
        diagnostics.finish(())?;
        let notes = std::mem::take(&mut sources.model.notes);
        let other_documents = sources.definitions.others;
        let place = Place::file("kinds".as_ref());
        let choice = Choice {
            selected: &self.kinds,
            built_in_only: self.built_in_only,
            version: self.server_version,
        };
        let plan = plan(sources, &choice, &place)?;
        let code = emit::emit(&plan, &paths)?;
        if self.cargo_instructions {
            for kind in &plan.left_out {
                print_warning(&format!("left out {kind}"));
            }
            for line in warning::lines(&plan.warnings) {
                print_warning(&line);
            }
        }
        let file = out_dir.join(&self.file_name);
        let left_out_file = file.with_extension("left_out.md");
        let changed = write_if_changed(&file, &code)?
            | write_if_changed(&left_out_file, &emit::left_out_markdown(&plan.left_out))?;
        Ok(Generated {
            file,
            left_out_file,
            kinds: plan.generated(),
            definitions: plan.library.paths(),
            left_out: plan.left_out,
            other_documents,
            warnings: plan.warnings,
            notes,
            changed,
        })
    }

    /// `None` after an error.
    fn read_sources(&self, diagnostics: &mut Diagnostics) -> Option<Sources> {
        let mut model = self.read_document(self.openapi.as_ref(), diagnostics);
        let document = match &self.types {
            // As in most builds of the façade.
            same if *same == self.openapi => model.clone(),
            types => self.read_document(types.as_ref(), diagnostics),
        };
        let built_in = BuiltIn {
            document,
            // Outside of a build script it is not known.
            minor: KubernetesVersion::enabled()
                .ok()
                .map(KubernetesVersion::minor),
        };
        if self.cargo_instructions {
            for pattern in &self.crds {
                print_rerun_if_changed(&crd::watched(pattern));
            }
        }
        let mut definitions = crd::read(&self.crds, self.unserved, diagnostics);
        if diagnostics.len() == 0 {
            let mut model = model.as_mut().filter(|_| !self.built_in_only);
            if let (Some(model), Some(file)) = (&model, &self.openapi) {
                // Of a custom resource the definition says more.
                let kinds =
                    foreign::kinds(model, file).filter(|kind| !definitions.describe(&kind.id));
                let kinds: Vec<_> = kinds.map(|kind| (kind.id.clone(), kind)).collect();
                definitions.kinds.extend(kinds);
            }
            let described = model.iter_mut().flat_map(|model| &mut model.described);
            let described = described.filter_map(|(name, described)| {
                let Shape::Object(object) = &mut described.member.shape else {
                    return None;
                };
                Some((name.clone(), object))
            });
            let kinds = definitions.kinds.values_mut();
            let kinds = kinds.map(|kind| (kind.id.to_string(), &mut kind.object));
            let objects: Vec<(String, &mut Object)> = kinds.chain(described).collect();
            self.apply_options(objects, diagnostics);
        }
        if self.openapi.is_some() && model.is_none() {
            return None;
        }
        Some(Sources {
            model: model.unwrap_or_default(),
            built_in,
            definitions,
        })
    }

    /// `objects` come with the names of their kinds or definitions.
    fn apply_options(
        &self,
        mut objects: Vec<(String, &mut Object)>,
        diagnostics: &mut Diagnostics,
    ) {
        if !self.unknown_fields {
            for (_, object) in &mut objects {
                object.forget_unknown_fields();
            }
        }
        apply(objects.into_iter(), &self.path_options, diagnostics);
    }

    fn read_document(
        &self,
        path: Option<&PathBuf>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Model> {
        let path = path?;
        // Before reading: a document with an error has to be looked at again, too.
        if self.cargo_instructions {
            print_rerun_if_changed(path);
        }
        match read(path) {
            Ok(model) => Some(model),
            Err(errors) => {
                diagnostics.extend(errors);
                None
            }
        }
    }
}

/// What is absent was complained about.
fn unfinished(diagnostics: Diagnostics) -> Errors {
    match diagnostics.finish(()) {
        Err(errors) => errors,
        Ok(()) => Error::of_option("openapi", Problem::Missing("nothing was read")).into(),
    }
}
