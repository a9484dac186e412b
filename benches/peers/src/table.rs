//! Results as tables of Markdown.

/// A table with a title.
pub(crate) struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<const N: usize>(title: impl Into<String>, columns: [&str; N]) -> Self {
        Self {
            title: title.into(),
            rows: vec![columns.map(str::to_owned).into()],
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints it, with columns as wide as their widest cell.
    pub(crate) fn print(&self) {
        println!("\n## {}\n", self.title);
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (at, row) in self.rows.iter().enumerate() {
            print_row(row, &widths);
            if at == 0 {
                let line: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                print_row(&line, &widths);
            }
        }
    }
}

fn print_row(cells: &[String], widths: &[usize]) {
    let cells = cells.iter().zip(widths);
    let cells: Vec<String> = cells
        .map(|(cell, width)| format!("{cell:width$}"))
        .collect();
    println!("| {} |", cells.join(" | "));
}

/// A number with its thousands kept apart.
pub(crate) fn number(value: impl TryInto<u64>) -> String {
    let digits = value
        .try_into()
        .map_or_else(|_| "?".to_owned(), |value| value.to_string());
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes as mebibytes.
pub(crate) fn mebibytes(bytes: usize) -> String {
    format!("{:.1}", bytes as f64 / f64::from(1 << 20))
}

/// A ratio, where what it is of is not 0.
pub(crate) fn ratio(part: f64, of: f64) -> String {
    if of > 0.0 {
        format!("{:.3}", part / of)
    } else {
        "–".to_owned()
    }
}

/// Whether a target was met, in a word.
pub(crate) fn met(met: bool) -> String {
    if met { "met" } else { "MISSED" }.to_owned()
}

/// The cell of what has no value.
pub(crate) fn none() -> String {
    "–".to_owned()
}
