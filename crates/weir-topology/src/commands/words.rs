//! The words of a command, as a POSIX shell splits it; without expansions.

use crate::Error;

/// Splits a line at spaces, except where quotation marks or a backslash protect them.
pub(crate) fn split(line: &str) -> Result<Vec<String>, Error> {
    let fail = |reason: &str| Err(Error::new(format!("cannot read the command: {reason}")));
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return fail("no closing quotation"),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('"') => break,
                        Some('\\') => match rest.next() {
                            Some(c @ ('"' | '\\')) => word.push(c),
                            Some(c) => word.extend(['\\', c]),
                            None => return fail("no closing quotation"),
                        },
                        Some(c) => word.push(c),
                        None => return fail("no closing quotation"),
                    }
                }
            }
            '\\' => match rest.next() {
                Some(c) => word.get_or_insert_default().push(c),
                None => return fail("no escaped character"),
            },
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}
