//! Whole connections against theory. What takes minutes is `#[ignore]`d: `cargo test --release -p weir-tcp --test theory -- --ignored
//! --nocapture` tells all figures of docs/tcp.md.

#![expect(clippy::print_stderr, reason = "figures are to be told")]

mod fairness;
mod laws;
mod link;
mod net;

use weir_tcp::{Algorithm, Config, Keep};

const ALL: [Algorithm; 3] = [Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr];

/// Buffers of hosts are never what limits.
fn config(congestion: &Algorithm) -> Config {
    Config {
        congestion: congestion.clone(),
        send_buffer: 64 << 20,
        receive_buffer: 64 << 20,
        keep: Keep::Count,
        ..Config::default()
    }
}
