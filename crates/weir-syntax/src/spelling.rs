//! Suggestions for misspelt words.

/// The word nearest to a misspelt one, if any is near enough to be meant.
///
/// Near means: one edit for words of up to four letters, two for longer ones; swapping neighbours counts as one edit.
/// The first of equally near words wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0 | 1 => return None,
        2..=4 => 1,
        _ => 2,
    };
    candidates
        .into_iter()
        .filter(|c| c.len().abs_diff(word.len()) <= limit && *c != word)
        .map(|c| (strsim::osa_distance(word, c), c))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_words_are_found_and_far_ones_not() {
        assert_eq!(nearest("transtion", ["table", "transition"]), Some("transition"));
        assert_eq!(nearest("fi", ["if", "in"]), Some("if"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("ipv4", ["table"]), None);
    }
}
