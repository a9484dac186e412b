//! Names as constants of a type.

/// The hash of a name, by which `field!` and generated types speak of it where a text cannot stand: FNV-1a, 64 bits.
///
/// ```
/// use larder_naming::hash;
///
/// const NODE: u64 = hash("nodeName");
/// assert_ne!(NODE, hash("node_name"));
/// ```
#[must_use]
pub const fn hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::hash;
    use crate::built_in_properties;

    #[test]
    fn it_is_fnv_1a() {
        // Of the reference at <http://www.isthe.com/chongo/tech/comp/fnv/>.
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn no_two_properties_have_one_hash() {
        let hashes: BTreeSet<_> = built_in_properties().map(hash).collect();
        assert_eq!(hashes.len(), built_in_properties().count());
    }
}
