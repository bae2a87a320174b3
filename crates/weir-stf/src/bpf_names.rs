//! Translates names in the tests of p4c's BPF targets, which write an underscore for each dot.

/// Returns the known name of a table or action that equals `name` if underscores replace its dots.
/// Such a test writes `_NoAction` for an action outside of controls. If there is no such name,
/// returns the name as it is.
pub(crate) fn program_spelling<'n>(name: &'n str, mut known: impl Iterator<Item = &'n str>) -> &'n str {
    let plain = name.strip_prefix('_').unwrap_or(name);
    known.find(|known| known.replace('.', "_") == plain).unwrap_or(name)
}

/// Returns the name of a key in the program's spelling. Such a test writes `key.` in front of it,
/// and `field2` for the key at position 2.
pub(crate) fn key_spelling<'n>(name: &'n str, mut known: impl Iterator<Item = &'n str> + Clone) -> &'n str {
    let Some(key) = name.strip_prefix("key.").filter(|_| !known.clone().any(|known| known == name)) else {
        return name;
    };
    let position = key.strip_prefix("field").and_then(|digits| digits.parse().ok());
    match position.and_then(|position| known.clone().nth(position)) {
        Some(numbered) => numbered,
        None => known.find(|known| known.replace('.', "_") == key).unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_stand_for_dots() {
        let names = || ["pipe.ways", "pipe.inner.t", "NoAction"].into_iter();
        assert_eq!(program_spelling("pipe_inner_t", names()), "pipe.inner.t");
        assert_eq!(program_spelling("_NoAction", names()), "NoAction");
        assert_eq!(program_spelling("ways", names()), "ways");
        assert_eq!(program_spelling("pipe_other", names()), "pipe_other");
    }

    #[test]
    fn keys_have_names_or_positions() {
        let names = || ["h.ip.src", "h.ip.dst"].into_iter();
        assert_eq!(key_spelling("key.field1", names()), "h.ip.dst");
        assert_eq!(key_spelling("key.h_ip_src", names()), "h.ip.src");
        assert_eq!(key_spelling("key.field2", names()), "key.field2");
        assert_eq!(key_spelling("h.ip.src", names()), "h.ip.src");
        assert_eq!(key_spelling("key.src", ["key.src"].into_iter()), "key.src");
    }
}
