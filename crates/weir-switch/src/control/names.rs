//! Names as people write them: in full, or only their end.

use weir_suggest::nearest_dotted;

use super::error::ControlError;

/// The position in `known` of the name that is `name`, or else of the only one that ends in `.name`.
///
/// `what` and `owner` go into the error, see [`ControlError::UnknownName`].
pub fn resolve<'a>(
    what: &'static str,
    owner: Option<&str>,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, ControlError> {
    if let Some(index) = known.clone().position(|k| k == name) {
        return Ok(index);
    }
    let mut ends = known.clone().enumerate().filter(|(_, k)| {
        !name.is_empty()
            && k.len() > name.len()
            && k.ends_with(name)
            && k.as_bytes()[k.len() - name.len() - 1] == b'.'
    });
    match (ends.next(), ends.next()) {
        (Some((index, _)), None) => Ok(index),
        (Some((_, first)), Some((_, second))) => Err(ControlError::AmbiguousName {
            what,
            name: name.to_owned(),
            candidates: [first, second].into_iter().chain(ends.map(|(_, k)| k)).map(str::to_owned).collect(),
        }),
        (None, _) => Err(ControlError::UnknownName {
            what,
            name: name.to_owned(),
            owner: owner.map(str::to_owned),
            suggestion: nearest_dotted(name, known.clone()).map(str::to_owned),
            known: known.map(str::to_owned).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["MyIngress.ipv4_lpm", "MyEgress.acl", "MyIngress.acl", "NoAction"];

    fn find(name: &str) -> Result<usize, ControlError> {
        resolve("table", None, name, KNOWN.into_iter())
    }

    #[test]
    fn full_names_and_unambiguous_suffixes_resolve() {
        assert_eq!(find("MyIngress.ipv4_lpm"), Ok(0));
        assert_eq!(find("ipv4_lpm"), Ok(0));
        assert_eq!(find("NoAction"), Ok(3));
        assert!(find("lpm").is_err(), "a suffix starts after a dot");
        assert!(find("").is_err());
    }

    #[test]
    fn errors_name_the_candidates_and_the_nearest() {
        assert_eq!(
            find("acl").unwrap_err().to_string(),
            "table `acl` is ambiguous: `MyEgress.acl`, `MyIngress.acl`"
        );
        assert_eq!(
            find("ipv4_lmp").unwrap_err().to_string(),
            "unknown table `ipv4_lmp`; known: `MyIngress.ipv4_lpm`, `MyEgress.acl`, `MyIngress.acl`, `NoAction`; \
             did you mean `MyIngress.ipv4_lpm`?"
        );
        assert!(!find("completely_else").unwrap_err().to_string().contains("did you mean"));
    }
}
