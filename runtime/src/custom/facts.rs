//! What a definition says of its kind.

/// A column that `kubectl get` prints for a custom resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PrinterColumn {
    /// The heading.
    pub name: &'static str,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub column_type: &'static str,
    /// The format of the type, as `int32`; empty for none.
    pub format: &'static str,
    /// What the column says; may be empty.
    pub description: &'static str,
    /// Columns above 0 are printed only where there is room, as with `-o wide`.
    pub priority: i32,
    /// Where the value stands, as `.spec.replicas`.
    pub json_path: &'static str,
}

impl PrinterColumn {
    /// For emitted code.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(
        name: &'static str,
        column_type: &'static str,
        format: &'static str,
        description: &'static str,
        priority: i32,
        json_path: &'static str,
    ) -> Self {
        Self {
            name,
            column_type,
            format,
            description,
            priority,
            json_path,
        }
    }
}

/// Where the scale subresource of a custom resource finds its numbers, as `.spec.replicas`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Scale {
    /// How many replicas are wanted.
    pub spec_replicas: &'static str,
    /// How many there are.
    pub status_replicas: &'static str,
    /// The selector of their pods, as text; `None` where the definition has none.
    pub label_selector: Option<&'static str>,
}

impl Scale {
    /// For emitted code.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(
        spec_replicas: &'static str,
        status_replicas: &'static str,
        label_selector: Option<&'static str>,
    ) -> Self {
        Self {
            spec_replicas,
            status_replicas,
            label_selector,
        }
    }
}
