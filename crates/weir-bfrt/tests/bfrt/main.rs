//! Tests the server over loopback, with messages made from our own description of the protocol.

mod bench;
mod cells;
mod hashes;
mod hostile;
mod info;
mod messages;
mod sessions;
mod tables;
mod tofino;
