//! The commands of `tc` in Linux (tc(8), tc-htb(8), tc-tbf(8), tc-fq(8), tc-codel(8),
//! tc-fq_codel(8), tc-red(8), tc-netem(8), tc-pfifo(8), tc-u32(8), tc-flower(8)) and their effect
//! on an interface's queueing discipline.
//!
//! Units are those of `tc`: `mbit` is megabits per second and `mbps` megabytes per second, `k` in a
//! size is 1024; without a unit, a rate is in bits per second, a size in bytes, a time in
//! microseconds. Identifiers such as `1:10` and HTB's `default 10` are hexadecimal. Unknown words
//! are refused with a message that names them.

mod class;
mod codel;
mod command;
mod dualpi2;
mod error;
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
pub use self::error::TcError;
pub use self::tree::TcInterface;
