//! Notices packets that seem to stay in a switch forever: resubmitted, recirculated or cloned again
//! and again.

use std::fmt::Write;

use weir_device::{Device, PacketAccount};

use super::Plane;

/// If this many checks in a row find the switch busy with repeated packets, packets seem to stay
/// forever. Workers check four times a second.
const CHECKS_UNTIL_ENDLESS: u32 = 10;

/// A switch is busy with repeated packets if it repeats more than this many for each packet that
/// arrives. Programs that delay packets by recirculating them repeat fewer.
const MAX_REPEATS_PER_PACKET: u64 = 1000;

/// The maximum number of bytes of a frame that the log shows.
const MAX_SHOWN_BYTES: usize = 64;

/// The observations of the last check.
#[derive(Debug, Default)]
pub struct LoopWatch {
    account: PacketAccount,
    in_a_row: u32,
}

impl LoopWatch {
    /// Checks the switch, and logs a warning if packets seem to stay in it forever.
    pub fn check(&mut self, plane: &Plane) {
        let seen = plane.try_with_switch(|switch, now| {
            // A busy switch has just collected the counts of its workers.
            let is_busy = switch.next_deadline().is_some_and(|due| due <= now);
            (switch.account(), is_busy, switch.waiting_frame().map(hexadecimal))
        });
        let Some((account, is_busy, frame)) = seen else { return };
        let more = account.since(self.account);
        self.account = account;
        let repeats = is_busy && more.repeated > MAX_REPEATS_PER_PACKET * (more.received + 1);
        self.in_a_row = if repeats { self.in_a_row.saturating_add(1) } else { 0 };
        if self.in_a_row == CHECKS_UNTIL_ENDLESS {
            tracing::warn!(
                switch = plane.name,
                packets = account.in_flight,
                frame,
                "packets inside the switch seem to be resubmitted, recirculated or cloned forever"
            );
        }
    }
}

fn hexadecimal(frame: &[u8]) -> String {
    frame.iter().take(MAX_SHOWN_BYTES).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
