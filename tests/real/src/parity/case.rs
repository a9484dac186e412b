//! The form of the table: what is sent, and what of the answer counts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::Error;

/// One file of the table: steps that build on each other, in a namespace of their own.
///
/// In every text of a step, `{NAME}` stands for a saved value. `{ns}` is the namespace of the case (made before the first step), and
/// `{big}` a text of 200 KB.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// What the case is about.
    pub about: String,
    /// Abilities of the server without which the case is skipped, see [`Subject::has`](super::Subject::has).
    #[serde(default)]
    pub needs: Vec<String>,
    /// Flags of kube-apiserver that make the server such as the case is about; another server is set up alike or skips the case.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Pointers that are dropped from every answer, see [`Step::drop`].
    #[serde(default)]
    pub drop: Vec<String>,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// One step: exactly one of `send`, `open`, `read`, `control` and `pause_ms` says which kind.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// What the step shows; stands above it in the transcript.
    pub about: String,
    /// `METHOD /path?query`: one request with its whole answer.
    pub send: Option<String>,
    /// `GET /path?query`: opens a watch; the answer's head counts here, its events in a later `read`.
    pub open: Option<String>,
    /// The name of an opened watch to read events from.
    pub read: Option<String>,
    /// An action for [`Subject::control`](super::Subject::control).
    pub control: Option<String>,
    /// Waits, in milliseconds, for what the server does by itself a moment later.
    pub pause_ms: Option<u64>,

    /// For `open`: the name of the watch.
    pub watch: String,
    /// For `send` and `open`: who asks; `admin` if empty.
    pub user: String,
    /// For `send` and `open`: request headers.
    pub headers: BTreeMap<String, String>,
    /// For `send`: the body, a JSON value.
    pub body: Option<Value>,
    /// For `send`: the body, as it is.
    pub raw: Option<String>,
    /// For `send`: repeats the request until the answer has this status, for what takes effect a moment later.
    pub until: Option<u16>,
    /// For `send`: the answer's body is not shown, only its head.
    pub head_only: bool,

    /// For `read`: so many events are awaited.
    pub count: usize,
    /// For `read`: bookmarks count too. Without it they are passed over, as they come when the server likes, except for the mark that ends a
    /// streaming list.
    pub bookmarks: bool,
    /// For `read`: after them the server ends the watch.
    pub end: bool,
    /// For `read`: after them nothing comes for so many milliseconds.
    pub quiet_ms: u64,

    /// JSON pointers (`*` is any element or key) of what does not count, relative to the body or to each event.
    pub drop: Vec<String>,
    /// JSON pointers of all that counts; everything when empty. Here `[KEY=TEXT]` is the element of an array whose member KEY is TEXT.
    pub only: Vec<String>,
    /// Names for values of the answer, by JSON pointer into the body or into the array of the events read.
    pub save: BTreeMap<String, String>,
}

impl Case {
    /// Reads one file.
    ///
    /// # Errors
    ///
    /// When it cannot be read or has another form than [`Case`].
    pub fn read(file: &Path) -> Result<Case, Error> {
        let text = std::fs::read(file).map_err(|source| Error::Io {
            file: file.to_owned(),
            source,
        })?;
        let mut case: Case = serde_json::from_slice(&text).map_err(|source| Error::Form {
            file: file.to_owned(),
            source,
        })?;
        case.name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(case)
    }

    /// Reads all files of a directory, in the order of their names.
    ///
    /// # Errors
    ///
    /// As [`Case::read`].
    pub fn read_all(directory: &Path) -> Result<Vec<Case>, Error> {
        let failed = |source| Error::Io {
            file: directory.to_owned(),
            source,
        };
        let mut files = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(failed)? {
            files.push(entry.map_err(failed)?.path());
        }
        files.sort();
        files.iter().map(|file| Case::read(file)).collect()
    }
}
