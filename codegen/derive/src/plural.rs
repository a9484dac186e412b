//! The plural of a kind that gives none.

/// What kube's derive makes of the singular: `gadgets`, `boxes`, `policies`. Irregular plurals have to be given.
pub(crate) fn plural(singular: &str) -> String {
    if ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| singular.ends_with(end))
    {
        return format!("{singular}es");
    }
    if let Some(stem) = singular.strip_suffix('y')
        && stem.ends_with(|before| !matches!(before, 'a' | 'e' | 'i' | 'o' | 'u'))
    {
        return format!("{stem}ies");
    }
    format!("{singular}s")
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn plurals_are_those_of_kube() {
        for (singular, expected) in [
            ("gadget", "gadgets"),
            ("bus", "buses"),
            ("box", "boxes"),
            ("quiz", "quizes"),
            ("batch", "batches"),
            ("mesh", "meshes"),
            ("policy", "policies"),
            ("gateway", "gateways"),
            ("y", "ys"),
        ] {
            assert_eq!(plural(singular), expected);
        }
    }
}
