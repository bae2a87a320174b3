//! The receiving half of a packet socket with a ring: memory that the kernel shares, so that small
//! frames need no system call. Frames longer than a slot, such as GSO frames, arrive in the
//! socket's queue.

use std::os::fd::AsFd;
use std::sync::Arc;

use weir_device::prefetch;

use crate::arrival::{Arrival, BATCH_FRAMES, queued_frame};
use crate::mailbox::Mailbox;
use crate::port_claim::PortClaim;
use crate::sys::{Inbox, PacketSocket, Ring, Slot};
use crate::vnet::VNET_BYTES;
use crate::{Batch, PortError, Receive, ReceiveCounts, WaitOn};

pub(crate) struct RingReceiver {
    pub name: String,
    pub socket: Arc<PacketSocket>,
    pub ring: Option<Ring>,
    pub new_ring: Mailbox<Ring>,
    /// Whether the last call found no frames.
    pub was_empty: bool,
    /// The ring for frames from the queue.
    pub inbox: Inbox,
    pub timestamps: bool,
    pub counts: ReceiveCounts,
    pub _claim: Arc<PortClaim>,
}

impl Receive for RingReceiver {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        if let Some(ring) = self.new_ring.take_new() {
            self.ring = ring;
        }
        let Self { name, socket, ring, was_empty, inbox, timestamps, counts, .. } = self;
        let failed = |step| {
            let port = name.clone();
            move |source| PortError::System { port, step, source }
        };
        let taken =
            ring.as_mut().map_or(0, |ring| ring.take_frames(batch.remaining_capacity().min(BATCH_FRAMES)));
        let had_nothing = std::mem::replace(was_empty, taken == 0);
        let Some(ring) = ring.as_mut().filter(|_| taken > 0) else {
            // The link went down, or the interface is gone: the socket reports this once, and stays
            // readable until the error is read. If the previous call returned frames, the caller
            // has not waited for the socket.
            if had_nothing {
                socket.take_error().map_err(failed("look for errors"))?;
            }
            return Ok(());
        };
        // Prefetches let the processor load all frames in parallel.
        ring.slots().for_each(|slot| prefetch(&slot.memory[slot.start - VNET_BYTES..], 128));
        let long = ring.slots().filter(|slot| slot.is_queued).count();
        // The kernel queues a frame before it passes on the frame's slot. Each queued frame must be
        // read with its slot; otherwise, a later slot would get it.
        let mut received = 0;
        while received < long {
            match inbox.receive(socket.as_fd(), received, long - received) {
                Ok(0) => break,
                Ok(count) => received += count,
                Err(error) => match error.raw_os_error() {
                    // The link went down. The socket reports this once, and keeps its frames.
                    Some(libc::ENETDOWN | libc::EINTR) => {}
                    // The socket is a new one, and the ring of the old socket is no longer used.
                    Some(libc::EAGAIN) => break,
                    _ => return Err(failed("receive")(error)),
                },
            }
        }
        let mut queue = inbox.slots().take(received);
        for slot in ring.slots() {
            let arrival = if slot.is_queued {
                queue.next().and_then(|(memory, message, start)| queued_frame(memory, message, start))
            } else {
                slot_arrival(slot, *timestamps)
            };
            match arrival {
                Some(arrival) => arrival.add_to_batch(batch, counts),
                // The queue was full, so the frame is missing.
                None => counts.missed += 1,
            }
        }
        Ok(())
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Readable(self.socket.as_fd())
    }

    fn counts(&mut self) -> ReceiveCounts {
        // This fails only if the descriptor is not a socket.
        self.counts.missed += self.socket.take_missed().unwrap_or(0);
        self.counts
    }
}

/// Returns the frame in a slot; `None` if part of the frame is missing.
fn slot_arrival(slot: Slot<'_>, timestamps: bool) -> Option<Arrival<'_>> {
    let Slot { memory, start, length, present, vnet, tag, time, .. } = slot;
    let time = timestamps.then_some(time);
    (present == length && length >= 14).then(|| Arrival {
        memory,
        start,
        end: start + length,
        vnet,
        tag,
        time,
    })
}
