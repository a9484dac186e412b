//! Which files a pattern means.

use std::path::{Path, PathBuf};

use crate::error::{Diagnostics, Error, Problem};

/// The endings of files that a directory is searched for.
const ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// The files of a pattern, sorted: a file; all YAML and JSON files of a directory, those of its directories too; or what
/// matches a pattern with `*`, `?`, `[…]` and `**`. Hidden ones, such as the locks of editors, are meant by their whole name alone.
pub(super) fn of(pattern: &str, diagnostics: &mut Diagnostics) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let path = Path::new(pattern);
    if path.is_dir() {
        add_directory(path, &mut files, diagnostics);
    } else if path.is_file() {
        files.push(path.to_owned());
    } else {
        add_matches(pattern, &mut files, diagnostics);
    }
    files.sort();
    files.dedup();
    files
}

fn add_directory(directory: &Path, files: &mut Vec<PathBuf>, diagnostics: &mut Diagnostics) {
    let before = files.len();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        match entries(&next) {
            Ok(found) => {
                for path in found {
                    let is_wanted = path.extension().is_some_and(|e| {
                        ENDINGS.iter().any(|wanted| e.eq_ignore_ascii_case(wanted))
                    });
                    if path.is_dir() {
                        directories.push(path);
                    } else if is_wanted && (path.is_file() || !path.exists()) {
                        // A link that leads nowhere is an error when it is read.
                        files.push(path);
                    }
                }
            }
            Err(source) => diagnostics.push(unreadable(&next, source)),
        }
    }
    if files.len() == before {
        diagnostics.push(Error::at_file(directory, Problem::NoFile));
    }
}

fn entries(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // A link to a directory may lead back to it.
        if !(entry.file_type()?.is_symlink() && entry.path().is_dir()) {
            paths.push(entry.path());
        }
    }
    Ok(paths)
}

fn add_matches(pattern: &str, files: &mut Vec<PathBuf>, diagnostics: &mut Diagnostics) {
    let options = glob::MatchOptions {
        require_literal_leading_dot: true,
        ..glob::MatchOptions::default()
    };
    let matches = match glob::glob_with(pattern, options) {
        Ok(matches) => matches,
        Err(error) => {
            let (pattern, reason) = (pattern.to_owned(), error.msg);
            let problem = Problem::Pattern { pattern, reason };
            diagnostics.push(Error::at_file("crds".as_ref(), problem));
            return;
        }
    };
    let before = files.len();
    for path in matches {
        match path {
            Ok(path) if path.is_file() => files.push(path),
            Ok(_) => {}
            Err(error) => {
                let path = error.path().to_owned();
                diagnostics.push(unreadable(&path, error.into()));
            }
        }
    }
    if files.len() == before {
        diagnostics.push(Error::at_file(pattern.as_ref(), Problem::NoFile));
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    let action = "read";
    Error::at_file(path, Problem::Io { action, source })
}

/// What has to be looked at again when it changes: the file or directory, or, for a pattern, the directory below which
/// new files may match.
pub(crate) fn watched(pattern: &str) -> PathBuf {
    let path = Path::new(pattern);
    if path.exists() {
        return path.to_owned();
    }
    let is_plain = |part: &&std::ffi::OsStr| !part.to_string_lossy().contains(['*', '?', '[']);
    let plain: PathBuf = path.iter().take_while(is_plain).collect();
    if plain.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_watched_from_the_last_directory_without_wildcards() {
        for (pattern, directory) in [
            ("none/crds/*.yaml", "none/crds"),
            ("/none/**/crds/a.yaml", "/none"),
            ("*.yaml", "."),
            ("none/a.yaml", "none/a.yaml"),
            ("src", "src"),
        ] {
            assert_eq!(watched(pattern), Path::new(directory), "{pattern}");
        }
    }
}
