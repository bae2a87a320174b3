//! The similarity of a wrong name to a right name.

/// How a wrong name differs from the right name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Wrong, missing, extra or swapped letters.
    Slip,
    /// Whole parts are missing, or there are too many.
    Abbreviation,
}

/// The maximum length of names that are compared, in bytes. The comparison takes quadratic time,
/// and users may enter names of any length.
const MAX_LENGTH: usize = 200;

/// The bonus of a slip that only swaps letters of the right name: `prot` is more likely `port` than
/// `proto`.
const SWAPPED_BONUS: u32 = 100;

/// Abbreviations are less similar than any slip in a name of four letters or more.
const ABBREVIATION: u32 = 600;
/// The maximum bonus of an abbreviation, by its share of the longer name.
const ABBREVIATION_RANGE: usize = 60;

/// Returns the similarity of two names from 0 to 1000, and how they differ; `None` if they are not
/// similar.
pub(crate) fn similarity(wrong: &str, right: &str) -> Option<(u32, Relation)> {
    let (wrong, right) = (wrong.to_lowercase(), right.to_lowercase());
    if wrong == right {
        return Some((1000, Relation::Slip));
    }
    if wrong.len().max(right.len()) > MAX_LENGTH {
        return None;
    }
    if let Some(score) = slip_similarity(&wrong, &right) {
        return Some((score, Relation::Slip));
    }
    Some((abbreviation(&wrong, &right)?, Relation::Abbreviation))
}

/// Returns the similarity of a slip: at most a third of the letters differ, or one letter in short
/// names of at least two letters. Two swapped neighbours count as one difference.
fn slip_similarity(wrong: &str, right: &str) -> Option<u32> {
    let (a, b) = (wrong.chars().count(), right.chars().count());
    let (shorter, longer) = (a.min(b), a.max(b));
    let limit = (longer / 3).max(1);
    if longer - shorter > limit {
        return None;
    }
    let differences = strsim::osa_distance(wrong, right);
    // A punctuation mark at the start of both names does not make them similar: `-j` is not similar
    // to `-s`.
    let alphanumeric = wrong.chars().filter(|c| c.is_alphanumeric()).count();
    if differences > limit || differences >= shorter.min(alphanumeric) {
        return None;
    }
    let swapped = if sorted_letters(wrong) == sorted_letters(right) { SWAPPED_BONUS } else { 0 };
    Some(((1000 * (longer - differences) / longer) as u32 + swapped).min(999))
}

fn sorted_letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}

/// Returns the similarity of a name to its abbreviation.
fn abbreviation(wrong: &str, right: &str) -> Option<u32> {
    let (wrong, right): (Vec<char>, Vec<char>) = (wrong.chars().collect(), right.chars().collect());
    let part =
        if wrong.len() < right.len() { is_shortening(&wrong, &right) } else { is_extension(&wrong, &right) };
    let (shorter, longer) = (wrong.len().min(right.len()), wrong.len().max(right.len()));
    part.then(|| ABBREVIATION + (ABBREVIATION_RANGE * shorter / longer) as u32)
}

/// Returns whether `wrong` leaves out parts of `right`: `port` for `egress_port`, `iface` for
/// `interface`, `packets` for `packet_count`.
fn is_shortening(wrong: &[char], right: &[char]) -> bool {
    if wrong.len() >= 3 && right.windows(wrong.len()).any(|part| part == wrong) {
        return true;
    }
    // All letters but one occur in the right name in the same order, and make up at least 60 % of
    // both names.
    if wrong.len() < 4 || wrong[0] != right[0] || 7 * wrong.len() < 3 * right.len() {
        return false;
    }
    let common = common_letters(wrong, right);
    common + 1 >= wrong.len() && 10 * 2 * common >= 6 * (wrong.len() + right.len())
}

/// Returns whether `wrong` adds parts to `right`: `ethernet_header` for `ethernet`.
fn is_extension(wrong: &[char], right: &[char]) -> bool {
    right.len() >= 4 && 2 * right.len() >= wrong.len() && wrong.starts_with(right)
}

/// Returns the length of the longest common subsequence.
fn common_letters(a: &[char], b: &[char]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[b.len()]
}
