//! Match structures: which entry of a table a key meets, and which member of a group a flow.
//!
//! - **Comes in:** a [`KeyLayout`] (the fields of a key, their widths and kinds), patterns with priorities, for each entry the position of an
//!   action and words of data; keys as words.
//! - **Goes out:** the entry that wins: its dense number, its handle, its row of action and data; entries in the order of their handles.
//! - **Holds:** exact, longest-prefix and prioritised tables and mixtures; the choice of a member for a flow.
//! - **Must never know:** P4, packets, what actions do, time, where a key comes from.
//!
//! A [`Table`] is changed by one owner. [`Table::view`] looks up in it, and a [`Table::snapshot`] does on any thread while the owner goes on
//! changing: nobody waits, see [`Publisher`]. Costs: `docs/tables.md`.
//!
//! A key is a slice of words: each field in ⌈width/64⌉, least significant first, one field after the other. [`Pattern`]s are byte strings:
//! each field big-endian in ⌈width/8⌉ bytes, spare high bits 0.
//!
//! ```
//! use weir_tables::{Field, FieldKind, KeyLayout, Pattern, Table};
//!
//! let layout = KeyLayout::new(vec![Field { width: 32, kind: FieldKind::Lpm }]);
//! let mut routes = Table::new(layout, 1);
//! let (forward, port) = (0, 3);
//! routes.insert(&[Pattern::Prefix([10, 0, 1, 0].into(), 24)], 0, forward, &[port])?;
//! let found = routes.view().find(&[0x0a00_0107]).expect("a route");
//! assert_eq!((found.words.action(), found.words.data(0)), (forward, port));
//! # Ok::<(), weir_tables::InsertError>(())
//! ```

mod bits;
mod buckets;
mod cow;
mod hash;
mod heap;
mod key;
mod lpm;
mod memory;
mod order;
mod pack;
mod pattern;
mod prefetch;
mod rows;
mod selector;
mod shared;
mod slots;
mod table;
mod trie;
mod tuples;
mod view;
pub mod workload;

pub use key::{Field, FieldKind, KeyLayout};
pub use memory::Memory;
pub use pattern::{Pattern, PatternError};
pub use prefetch::bring;
pub use selector::{Bidder, select};
pub use shared::{Pinned, Publisher, Reader};
pub use table::{Entry, Handle, InsertError, Table};
pub use view::{Found, Place, Row, Rows, View};
