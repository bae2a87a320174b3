//! Commands of Linux' `tc` (tc(8), tc-htb(8), tc-tbf(8), tc-fq(8), tc-codel(8), tc-fq_codel(8), tc-red(8), tc-netem(8), tc-pfifo(8),
//! tc-u32(8), tc-flower(8)): what they make of an interface's queueing discipline.
//!
//! Units are `tc`'s own: `mbit` counts bits per second and `mbps` bytes per second, `k` in a size is 1024, a bare rate counts bits per second, a
//! bare size bytes, a bare time microseconds; identifiers such as `1:10` and HTB's `default 10` are hexadecimal. What is not understood is
//! refused by name.

mod class;
mod codel;
mod command;
mod filter;
mod fq;
mod kinds;
mod netem;
mod node;
mod place;
mod print;
mod red;
mod tree;
mod units;
mod words;

pub use self::command::TcCommand;
pub use self::tree::TcInterface;
