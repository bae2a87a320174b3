//! Match structures: which entry of a table a key meets, and which member of a group a flow.
//!
//! - **Comes in:** a [`KeyLayout`] (the fields of a key, their widths and kinds), patterns with priorities and what the caller
//!   wants to keep with them, keys as byte strings.
//! - **Goes out:** the entry that wins, by handle; entries in the order in which they were inserted.
//! - **Holds:** exact hash tables, longest-prefix tables, prioritised tables for ternary, range and optional fields and mixtures;
//!   the choice of a member for a flow.
//! - **Must never know:** P4, packets, actions, time, where a key comes from.
//!
//! Keys are byte strings: each field big-endian in ⌈width/8⌉ bytes, spare high bits 0, one field after the other.

mod exact;
mod key;
mod lpm;
mod pattern;
mod prioritised;
mod selector;
mod table;

pub use key::{Field, FieldKind, KeyLayout};
pub use pattern::{Pattern, PatternError};
pub use selector::{Bidder, select};
pub use table::{Entry, Handle, InsertError, MatchTable};
