//! TCP compared with theory in this crate's own network: hosts with traffic, links, queues, relays.
//! Tests that take minutes are `#[ignore]`d: `cargo test --release -p weir-sim --test theory --
//! --ignored --nocapture` prints all numbers of docs/explanation/tcp.md.

#![expect(clippy::print_stderr, reason = "the figures are of interest")]

#[path = "../network/world/mod.rs"]
mod world;

mod aqm;
mod bursts;
mod dumbbell;
mod laws;
mod link;
mod linux;
mod response;
mod sharing;

use weir_sim::tcp::Algorithm;

const ALL: [Algorithm; 5] =
    [Algorithm::Reno, Algorithm::Cubic, Algorithm::CubicRfc, Algorithm::Bbr, Algorithm::BbrDraft];
