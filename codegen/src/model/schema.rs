//! The shape of a value.

/// What `type` of a schema may say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    Array,
    Boolean,
    Integer,
    Number,
    Object,
    String,
}

impl Type {
    pub(crate) const WORDS: [(&'static str, Self); 6] = [
        ("array", Self::Array),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("object", Self::Object),
        ("string", Self::String),
    ];
}

/// The shape of a value in JSON, without prose and without validation.
///
/// Enums of strings are strings: documents of a live cluster carry them, documents of a release do not, and a server
/// may add a value at any time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Schema {
    /// Anything: no type is given.
    Any,
    /// `true` or `false`.
    Boolean,
    /// An integer; the format is `int32` or `int64` in Kubernetes, others occur.
    Integer(Option<String>),
    /// A number; the format is `double` in Kubernetes.
    Number(Option<String>),
    /// A string; `byte` (base64) and `date-time` are the formats of Kubernetes.
    String(Option<String>),
    /// An integer or a string.
    IntOrString,
    /// A list.
    Array(Box<Schema>),
    /// An object whose members all have one shape.
    Map(Box<Schema>),
    /// An object about whose members nothing is said.
    Object,
    /// An object with these fields, sorted by name.
    Struct(Vec<Field>),
    /// The type of this definition.
    Reference(String),
    /// One of several shapes, where no type says which.
    Union(Vec<Schema>),
}

/// One field of an object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Field {
    /// The name in JSON.
    pub name: String,
    /// Its shape.
    pub schema: Schema,
    /// Whether the document requires it. It differs between versions for one and the same field.
    pub required: bool,
}

impl Schema {
    /// The names of all definitions that this shape refers to, with repetitions.
    #[must_use]
    pub fn references(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.collect_references(&mut names);
        names
    }

    fn collect_references<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Reference(name) => names.push(name),
            Self::Array(inner) | Self::Map(inner) => inner.collect_references(names),
            Self::Struct(fields) => {
                for field in fields {
                    field.schema.collect_references(names);
                }
            }
            Self::Union(members) => {
                for member in members {
                    member.collect_references(names);
                }
            }
            Self::Any
            | Self::Boolean
            | Self::Integer(_)
            | Self::Number(_)
            | Self::String(_)
            | Self::IntOrString
            | Self::Object => {}
        }
    }

    /// The field of this name, if this is an object that has it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        let Self::Struct(fields) = self else {
            return None;
        };
        fields.iter().find(|field| field.name == name)
    }
}
