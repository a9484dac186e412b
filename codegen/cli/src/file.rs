//! Files that are there whole or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A new content beside its file, on the same disk.
pub(crate) struct Prepared {
    file: PathBuf,
    new: tempfile::NamedTempFile,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Unchanged,
    Changed,
}

/// Puts `bytes` beside `file`, unless they are what it holds; answers `None` then, so that its time stays.
pub(crate) fn prepare(file: &Path, bytes: &[u8]) -> anyhow::Result<Option<Prepared>> {
    if std::fs::read(file).is_ok_and(|there| there == bytes) {
        return Ok(None);
    }
    let failed = || format!("cannot write {}", file.display());
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).with_context(failed)?;
    let mut builder = tempfile::Builder::new();
    readable(builder.prefix(".larder-"));
    let mut new = builder.tempfile_in(folder).with_context(failed)?;
    new.write_all(bytes).with_context(failed)?;
    new.as_file().sync_all().with_context(failed)?;
    Ok(Some(Prepared {
        file: file.to_owned(),
        new,
    }))
}

/// Those of any new file, which the umask narrows; a temporary one would be the user's alone.
#[cfg(unix)]
fn readable(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn readable(_: &mut tempfile::Builder<'_, '_>) {}

impl Prepared {
    /// Puts it in its file's place, in one step.
    pub(crate) fn commit(self) -> anyhow::Result<()> {
        let Self { file, new } = self;
        new.persist(&file)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(())
    }
}

/// Writes one file.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    match prepare(file, bytes)? {
        None => Ok(Written::Unchanged),
        Some(prepared) => prepared.commit().map(|()| Written::Changed),
    }
}
