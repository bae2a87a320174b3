//! Match structures, which find the table entry that a key matches, and the group member for a
//! flow.
//!
//! - **Input:** a [`KeyLayout`] (the fields of a key, their widths and kinds); entries with a
//!   pattern for each field, a priority, the position of an action and words of data; keys as
//!   words.
//! - **Output:** the winning entry, with its slot, handle, action and data; all entries in the
//!   order of their handles.
//! - **Contents:** tables with exact, longest-prefix and prioritized matching and their mixtures;
//!   the choice of a member for a flow.
//! - **Independent of:** P4, packets, what actions do, time, where a key comes from.
//!
//! One owner changes a [`Table`]. The owner makes its lookups through [`Table::view`]. Other
//! threads make lookups in a [`TableSnapshot`] while the owner changes the table, and neither waits
//! for the other. `docs/explanation/tables.md` describes the costs.
//!
//! A key is a slice of words: each field in ⌈width/64⌉ words, least significant first, one field
//! after the other. A [`Pattern`] holds byte strings: big-endian in ⌈width/8⌉ bytes, spare high
//! bits 0.
//!
//! ```
//! use weir_tables::{Field, FieldKind, KeyLayout, Pattern, Table};
//!
//! let layout = KeyLayout::new(vec![Field { width: 32, kind: FieldKind::Lpm }]);
//! let mut routes = Table::new(layout, 1);
//! let (forward, port) = (0, 3);
//! routes.insert(&[Pattern::Prefix([10, 0, 1, 0].into(), 24)], 0, forward, &[port])?;
//! let found = routes.view().find(&[0x0a00_0107]).expect("a route");
//! assert_eq!((found.row.action(), found.row.data(0)), (forward, port));
//! # Ok::<(), weir_tables::InsertError>(())
//! ```

mod bit_string;
mod block_allocator;
mod bucket_index;
mod entry_order;
mod hash_index;
mod hit;
mod key;
mod lpm;
mod memory_usage;
mod packing;
mod pages;
mod pattern;
mod records;
mod row;
mod row_store;
mod select_member;
mod snapshot;
mod sync;
mod table;
mod table_view;
mod trie;
mod tuples;
pub mod workload;

pub use hit::{Handle, Hit};
pub use key::{Field, FieldKind, KeyLayout};
pub use memory_usage::MemoryUsage;
pub use pattern::{Pattern, PatternError};
pub use row::{Row, Rows};
pub use select_member::{WeightedMember, select_member};
pub use snapshot::TableSnapshot;
pub use table::{Entry, InsertError, Table};
pub use table_view::{Match, TableView};
