//! The IR as text. [`print()`] writes it, and [`parse()`] reads it back to the same program.
//!
//! ```text
//! file "router.p4"
//! errors { NoError, PacketTooShort }
//! header_type ipv4_t { ttl: bit<8>, dst: bit<32> }
//! header hdr.ipv4: ipv4_t                        // its fields and its validity bit hdr.ipv4.$valid$
//! var meta.port: bit<9> @field_list(1) @7:3      // annotations, then line:column in the first file
//! action forward(port = meta.port) @20:5 {
//!   hdr.ipv4.ttl = hdr.ipv4.ttl - 8w1; @21:9
//! }
//! ```
//!
//! Items may come in any order; handles are numbered in the order of the text. Names that are not
//! dotted identifiers, or that are keywords, are in backticks. A constant has its width and sign:
//! `8w255`, `8s-1`. Nested operators are in parentheses, so the text form has no operator
//! precedence. `docs/explanation/ir.md` shows every construct.

mod error;
mod header_vars;
mod lex;
mod parse;
mod print;
mod spelling;
#[cfg(test)]
mod tests;

pub use error::ParseError;
pub use parse::parse;
pub use print::{constant, expr, header_ref, place, print, stmt, ty};
