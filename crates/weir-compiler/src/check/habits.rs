//! Names from P4_14, other languages and everyday speech, with their equivalents in the language
//! P4_16. They are used only in messages. [`super::other_names`] knows those of architectures.

use weir_syntax::{Diagnostic, ast};

use super::Checker;
use super::scope::Symbol;
use crate::hir::{Expr, ExprKind, Type, TypeId};

/// Returns the match kind that a word stands for.
pub(super) fn match_kind(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "longest" | "longest_prefix" | "longest_prefix_match" | "prefix" | "prefix_match" | "cidr" => "lpm",
        "wildcard" | "mask" | "masked" | "tcam" | "any" => "ternary",
        "equal" | "equals" | "eq" | "match" | "full" | "hash" => "exact",
        "interval" | "between" | "ranges" => "range",
        "maybe" | "opt" => "optional",
        _ => return None,
    })
}

/// Returns the methods of headers, stacks, tables and packets that a word may stand for.
pub(super) fn methods(word: &str) -> &'static [&'static str] {
    match word.to_ascii_lowercase().as_str() {
        "valid" | "is_valid" | "exists" | "present" | "validity" => &["isValid"],
        "add" | "validate" | "make_valid" | "activate" | "enable" | "insert" => &["setValid"],
        "remove" | "invalidate" | "delete" | "make_invalid" | "deactivate" | "disable" | "drop" => {
            &["setInvalid"]
        }
        "push" => &["push_front"],
        "pop" => &["pop_front"],
        "call" | "run" | "lookup" | "exec" => &["apply"],
        _ => &[],
    }
}

/// Returns advice about a word that names a function in P4_14 or in other languages.
fn function_advice(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "valid" | "isvalid" | "is_valid" => "validity is a method of headers: `hdr.ipv4.isValid()`",
        "add_header" | "setvalid" => "`setValid` is a method of headers: `hdr.ipv4.setValid()`",
        "remove_header" | "setinvalid" => "`setInvalid` is a method of headers: `hdr.ipv4.setInvalid()`",
        "modify_field" | "assign" | "set_field" | "copy_header" => {
            "P4_16 assigns with `=`: `hdr.ipv4.ttl = 64;`"
        }
        "add_to_field" | "subtract_from_field" => "P4_16 has operators: `hdr.ipv4.ttl = hdr.ipv4.ttl - 1;`",
        "sizeof" | "len" | "size" => {
            "headers know their size: `hdr.ipv4.minSizeInBytes()`; a stack has `.size`"
        }
        "max" | "min" | "abs" => "P4 has no such function: write `a > b ? a : b`",
        _ => return None,
    })
}

/// Returns the value that a word stands for, or advice if P4 has none.
fn value_advice(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word {
        "True" | "TRUE" => ("true", ""),
        "False" | "FALSE" => ("false", ""),
        "null" | "NULL" | "None" | "nil" | "nullptr" => {
            ("", "P4 has no null: `hdr.ipv4.isValid()` says whether a header is there")
        }
        _ => return None,
    })
}

/// Lists names for a message, up to 12 of them.
pub(super) fn list_names(names: &[&str]) -> String {
    const MAX_SHOWN: usize = 12;
    let mut distinct: Vec<&str> = Vec::new();
    names.iter().for_each(|name| {
        if !distinct.contains(name) {
            distinct.push(name);
        }
    });
    let quoted: Vec<String> = distinct.iter().take(MAX_SHOWN).map(|name| format!("`{name}`")).collect();
    match distinct.len().saturating_sub(MAX_SHOWN) {
        0 => quoted.join(", "),
        more => format!("{} and {more} more", quoted.join(", ")),
    }
}

/// Returns the number of an IPv4 or Ethernet address.
fn number_of_address(text: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = if text.contains(':') {
        text.split(':').map(|part| u8::from_str_radix(part, 16).ok()).collect()
    } else {
        text.split('.').map(|part| part.parse().ok()).collect()
    };
    let bytes = bytes.filter(|bytes| bytes.len() == if text.contains(':') { 6 } else { 4 })?;
    Some(bytes.iter().fold("0x".to_owned(), |number, byte| number + &format!("{byte:02x}")))
}

impl Checker<'_> {
    /// Adds the P4_16 equivalent to the message if a name that is not in scope is in the lists of
    /// names from other languages.
    pub(super) fn with_name_advice(
        &self,
        what: &str,
        name: &ast::Name,
        diagnostic: Diagnostic,
    ) -> Result<Diagnostic, Diagnostic> {
        let word = name.as_str();
        let suggest = |diagnostic: Diagnostic, text: &str| {
            diagnostic.suggest(format!("did you mean `{text}`?"), name.span, text)
        };
        if what == "function or action" {
            return match function_advice(word) {
                Some(advice) => Ok(diagnostic.note(advice)),
                None => self.with_declared_advice(name, diagnostic),
            };
        }
        if what != "variable or constant" {
            return Err(diagnostic);
        }
        if let Some((stands_for, advice)) = value_advice(word) {
            return Ok(if stands_for.is_empty() {
                diagnostic.note(advice)
            } else {
                suggest(diagnostic, stands_for)
            });
        }
        if let Some(parameter) = self.variable_of(word) {
            return Ok(suggest(diagnostic, parameter));
        }
        let owner = self.program.enums.iter().find(|(_, decl)| {
            let mut members = decl.members.iter();
            decl.underlying.is_none() && members.any(|member| member.name.text == *word)
        });
        match owner {
            Some((_, decl)) => {
                let member = format!("{}.{word}", decl.name.text);
                Ok(suggest(diagnostic, &member))
            }
            None => Err(diagnostic),
        }
    }

    /// Adds advice about a comparison if one operand is the result of a table, a string, or a
    /// number in place of a Boolean.
    pub(super) fn with_operand_advice(
        &self,
        left: &Expr,
        right: &Expr,
        diagnostic: Diagnostic,
    ) -> Diagnostic {
        for (one, other) in [(left, right), (right, left)] {
            match (&self.program.types[one.ty], &self.program.types[other.ty]) {
                (Type::ApplyResult(_), _) => {
                    return diagnostic.suggest(
                        "test whether an entry matched: `.hit`",
                        one.span.after(),
                        ".hit",
                    );
                }
                (Type::Bool, Type::Int) => {
                    return diagnostic
                        .note("a condition needs no comparison; the Booleans are `true` and `false`");
                }
                (Type::String, Type::Bits { .. }) => {
                    let ExprKind::String(text) = &one.kind else { continue };
                    return match number_of_address(text) {
                        Some(number) => diagnostic.suggest(
                            format!("write the address as a number: `{number}`"),
                            one.span,
                            number,
                        ),
                        None => diagnostic.note("packets hold numbers, not text"),
                    };
                }
                _ => {}
            }
        }
        diagnostic
    }

    /// Returns the name of a variable or parameter in scope whose type is a struct that the
    /// architecture calls `usual_name`, by `@name("…")`.
    fn variable_of(&self, usual_name: &str) -> Option<&str> {
        let is_record = |ty: TypeId| match self.program.types[ty] {
            Type::Record { decl, .. } => {
                self.program.records[decl].annotations.control_plane_name() == Some(usual_name)
            }
            _ => false,
        };
        let names = self.scopes.names(|symbol| match symbol {
            Symbol::Var(var) => is_record(self.program.vars[*var].ty),
            _ => false,
        });
        names.first().copied()
    }
}
