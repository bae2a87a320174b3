//! Programs in BMv2's format, written for these tests, run on a switch with both executors.

mod arithmetic;
mod bench;
mod flow;
mod mistakes;
mod objects;
mod parsing;
mod tables;
