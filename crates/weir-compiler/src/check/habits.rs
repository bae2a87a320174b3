//! Names from P4_14, other languages and everyday speech, with their P4_16 equivalents. They are
//! used only in messages.

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

/// Returns the methods of headers, stacks and externs that a word may stand for.
pub(super) fn methods(word: &str) -> &'static [&'static str] {
    match word.to_ascii_lowercase().as_str() {
        "valid" | "is_valid" | "exists" | "present" | "validity" => &["isValid"],
        "add" | "validate" | "make_valid" | "activate" | "enable" | "insert" => &["setValid", "count"],
        "remove" | "invalidate" | "delete" | "make_invalid" | "deactivate" | "disable" | "drop" => {
            &["setInvalid"]
        }
        "inc" | "increment" | "incr" | "tick" => &["count"],
        "get" | "load" | "value" | "fetch" => &["read", "get"],
        "set" | "put" | "store" | "update" => &["write"],
        "push" | "append" => &["push_front", "emit"],
        "pop" => &["pop_front"],
        "parse" | "unpack" => &["extract"],
        "peek" => &["lookahead"],
        "skip" => &["advance"],
        "deparse" | "pack" | "send" => &["emit"],
        "execute" | "meter" | "color" => &["execute_meter", "execute", "read"],
        "call" | "run" | "lookup" | "exec" => &["apply"],
        _ => &[],
    }
}

/// Returns the function that a word stands for, or advice if P4 has none.
fn function(word: &str) -> Option<(&'static str, &'static str)> {
    Some(match word.to_ascii_lowercase().as_str() {
        "printf" | "print" | "println" | "log" | "puts" | "echo" | "debug" => {
            ("log_msg", "`log_msg(\"ttl is {}\", {hdr.ipv4.ttl})` shows values")
        }
        "drop" | "drop_packet" | "discard" => {
            ("mark_to_drop", "v1model drops packets with `mark_to_drop(standard_metadata)`")
        }
        "rand" | "randint" | "modify_field_rng_uniform" => {
            ("random", "v1model has `random(result, low, high)`")
        }
        "crc16" | "crc32" | "checksum" | "modify_field_with_hash_based_offset" => {
            ("hash", "v1model has `hash(result, HashAlgorithm.crc16, base, data, max)`")
        }
        "assert_that" | "check" => ("assert", "v1model has `assert(condition)`"),
        "generate_digest" => ("digest", "v1model has `digest(1, data)`"),
        "valid" | "isvalid" | "is_valid" => ("", "validity is a method of headers: `hdr.ipv4.isValid()`"),
        "add_header" | "setvalid" => ("", "`setValid` is a method of headers: `hdr.ipv4.setValid()`"),
        "remove_header" | "setinvalid" => {
            ("", "`setInvalid` is a method of headers: `hdr.ipv4.setInvalid()`")
        }
        "emit" => ("", "`emit` is a method of `packet_out`: `packet.emit(hdr.ipv4)`"),
        "extract" => ("", "`extract` is a method of `packet_in`: `packet.extract(hdr.ipv4)`"),
        "lookahead" => ("", "`lookahead` is a method of `packet_in`: `packet.lookahead<bit<8>>()`"),
        "modify_field" | "assign" | "set_field" | "copy_header" => {
            ("", "P4_16 assigns with `=`: `hdr.ipv4.ttl = 64;`")
        }
        "add_to_field" | "subtract_from_field" => {
            ("", "P4_16 has operators: `hdr.ipv4.ttl = hdr.ipv4.ttl - 1;`")
        }
        "count" => ("", "`count` is a method of counters: `my_counter.count(index)`"),
        "register_read" => ("", "`read` is a method of registers: `my_register.read(result, index)`"),
        "register_write" => ("", "`write` is a method of registers: `my_register.write(index, value)`"),
        "execute_meter" => {
            ("", "`execute_meter` is a method of meters: `my_meter.execute_meter(index, colour)`")
        }
        "sizeof" | "len" | "size" => {
            ("", "headers know their size: `hdr.ipv4.minSizeInBytes()`; a stack has `.size`")
        }
        "max" | "min" | "abs" => ("", "P4 has no such function: write `a > b ? a : b`"),
        "forward" | "output" | "send_to_port" | "set_egress_port" => {
            ("", "v1model sends a packet to a port with `standard_metadata.egress_spec = port;`")
        }
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
    let shown: Vec<String> = distinct.iter().take(MAX_SHOWN).map(|name| format!("`{name}`")).collect();
    match distinct.len().saturating_sub(MAX_SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
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
            let Some((stands_for, advice)) = function(word) else { return Err(diagnostic) };
            return Ok(match self.scopes.resolve_unmarked(stands_for) {
                Some(_) => suggest(diagnostic, stands_for).note(advice),
                None => diagnostic.note(advice),
            });
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
        if word == "standard_metadata"
            && let Some(parameter) = self.variable_of("standard_metadata_t")
        {
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

    /// Returns the name of a variable or parameter in scope whose type is the struct called
    /// `record`.
    fn variable_of(&self, record: &str) -> Option<&str> {
        let is_record = |ty: TypeId| match self.program.types[ty] {
            Type::Record { decl, .. } => self.program.records[decl].name.text == record,
            _ => false,
        };
        let names = self.scopes.names(|symbol| match symbol {
            Symbol::Var(var) => is_record(self.program.vars[*var].ty),
            _ => false,
        });
        names.first().copied()
    }
}
