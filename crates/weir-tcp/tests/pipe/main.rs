//! Two connections on a wire in virtual time: regardless of what happens to segments, the streams
//! arrive and both ends close.

mod edges;
mod pacing;
mod recovery;
mod streams;
mod windows;
mod wire;

use weir_tcp::{Algorithm, Config, DelayedAck, Info, Keep};
use wire::{MS, Wire};

const ALL: [Algorithm; 5] =
    [Algorithm::Reno, Algorithm::Cubic, Algorithm::CubicRfc, Algorithm::Bbr, Algorithm::BbrDraft];

fn config() -> Config {
    Config { congestion: Algorithm::Reno, ..Config::default() }
}

fn counting_config() -> Config {
    Config { keep: Keep::Count, ..config() }
}

/// Returns settings of a sender that sends 40 segments at once and gets an acknowledgement for
/// each.
fn window_of_40(congestion: &Algorithm) -> Config {
    Config {
        congestion: congestion.clone(),
        initial_window_segments: 40,
        delayed_ack: DelayedAck { every: 1, timeout: MS },
        ..counting_config()
    }
}

fn info(wire: &Wire, end: usize) -> Info {
    wire.ends[end].connection.as_ref().unwrap().info()
}
