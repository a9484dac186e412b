//! Files that are written only when they change, so that their time stays and nothing is built again.

use std::path::Path;

use crate::error::{Error, Problem};

/// Writes `text` unless the file holds it already; answers whether it wrote.
pub(crate) fn write_if_changed(file: &Path, text: &str) -> Result<bool, Error> {
    if std::fs::read(file).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(false);
    }
    let failed = |source| {
        let action = "write";
        Error::at_file(file, Problem::Io { action, source })
    };
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory).map_err(failed)?;
    }
    std::fs::write(file, text).map_err(failed)?;
    Ok(true)
}
