//! Sends frames with a program that runs in the kernel. The program makes packets from frames in
//! memory that the kernel shares, and passes them to an interface, which sends them like those of
//! any socket.
//!
//! With other methods, the receiver at the other end of the interface wakes up for each frame.
//! While the program runs, the receiver waits, and then it runs once for all frames.

use std::io;
use std::os::fd::OwnedFd;

use super::bpf::{self, Kind, add, address_of, call, copy, exit, instruction, load, set, store};
use super::mapping::Mapping;

/// The maximum number of frames in one run of the program.
const FRAMES: usize = 64;
/// The size of the memory for a frame in bytes. It holds the frame's length, its result, and the
/// frame. The size is an odd number of cache lines, because otherwise all frames would start in the
/// same sets of the processor's cache.
const PLACE: usize = 33 * 64;
/// The bytes before a packet in its place.
const HEADER: usize = 8;
/// The shortest frame that the program sends, in bytes.
const MIN_FRAME_BYTES: usize = 14;
/// The number of bytes of the packet that the program gets and overwrites.
const PACKET: usize = 64;

/// The number of the kernel's function that looks up an element of a map.
const LOOK_UP: i32 = 1;
/// The number of the kernel's function that writes bytes of the packet.
const STORE_BYTES: i32 = 9;
/// The number of the kernel's function that sends a copy of the packet.
const SEND_COPY: i32 = 13;
/// The number of the kernel's function that changes the length of the packet.
const CHANGE_LENGTH: i32 = 38;

/// The queueing discipline has taken the packet and dropped another one, or is switched off
/// (`NET_XMIT_CN`).
const CONGESTED: i32 = 2;
/// The flag in the program's result for drops.
const DROPS: u32 = 1 << 8;

/// A program that sends through an interface.
#[derive(Debug)]
pub(crate) struct ProgramSender {
    memory: Mapping,
    program: OwnedFd,
    /// Whether the interface or its queueing discipline reported drops at the last call: of other
    /// frames because of congestion, or of all frames because the interface is switched off.
    pub(crate) drops: bool,
}

impl ProgramSender {
    /// The longest frame that the program can send, in bytes.
    pub(crate) const MAX_FRAME_BYTES: usize = PLACE - HEADER;

    /// Loads the program for an interface.
    pub(crate) fn open(index: u32) -> io::Result<Self> {
        let (map, memory) = bpf::array(PLACE, FRAMES)?;
        Ok(Self { memory, program: bpf::program(Kind::Packet, &instructions(&map, index))?, drops: false })
    }

    /// Sends frames of 14 to [`ProgramSender::MAX_FRAME_BYTES`] bytes with the same EtherType as
    /// the first, until one does not leave. Returns the number of frames that have left, and an
    /// error only if none has.
    ///
    /// # Panics
    /// A frame is too short or too long.
    pub(crate) fn send<'f>(&mut self, frames: impl Iterator<Item = &'f [u8]>) -> io::Result<usize> {
        let mut packet = [0; PACKET];
        let mut count = 0;
        for frame in frames.take(FRAMES) {
            assert!(
                (MIN_FRAME_BYTES..=Self::MAX_FRAME_BYTES).contains(&frame.len()),
                "a frame of {} bytes",
                frame.len()
            );
            if count == 0 {
                packet[..MIN_FRAME_BYTES].copy_from_slice(&frame[..MIN_FRAME_BYTES]);
            } else if frame[12..14] != packet[12..14] {
                // The kernel takes the EtherType of all frames from this packet.
                break;
            }
            let place = self.memory.address_of(count * PLACE, PLACE);
            // SAFETY: the place has room for header and frame, is aligned, and nobody else uses it:
            // the program reads and writes it only while it runs.
            unsafe {
                place.cast::<u32>().write(frame.len() as u32);
                std::ptr::copy_nonoverlapping(frame.as_ptr(), place.add(HEADER), frame.len());
            }
            count += 1;
        }
        if count < FRAMES {
            // SAFETY: as above.
            unsafe { self.memory.address_of(count * PLACE, PLACE).cast::<u32>().write(0) };
        }
        let result = bpf::run(&self.program, &packet)?;
        let sent = (result & !DROPS) as usize;
        self.drops = result & DROPS != 0;
        if sent > 0 || count == 0 {
            return Ok(sent.min(count));
        }
        // SAFETY: as above.
        let result = unsafe { self.memory.address_of(0, PLACE).cast::<i32>().add(1).read() };
        Err(io::Error::from_raw_os_error(match -result {
            // There is no interface of this index.
            libc::EINVAL => libc::ENXIO,
            libc::ENOMEM => libc::ENOBUFS,
            error if error > 0 => error,
            // The queueing discipline or the interface had no room.
            _ => libc::ENOBUFS,
        }))
    }
}

/// Returns the program. It sends frames until one fails or has no length, and returns how many were
/// sent.
fn instructions(map: &OwnedFd, index: u32) -> Vec<bpf::Instruction> {
    /// The register that holds the packet.
    const PACKET: u8 = 6;
    /// The register that holds the packet's number.
    const NUMBER: u8 = 7;
    /// The register that holds the packet's place in the shared memory.
    const PLACE: u8 = 8;
    /// The register that holds the packet's length.
    const LENGTH: u8 = 9;
    /// The register that holds the address of the stack.
    const STACK: u8 = 10;
    /// Placeholders for jumps to the end or to the handler of a failed step. Their targets are
    /// known only when the program is complete.
    const END: i16 = i16::MAX;
    /// The placeholder for jumps to the handler of a failed step.
    const FAILURE: i16 = i16::MAX - 1;
    let if_equal = |register, value, to| instruction(0x15, register, 0, to, value);
    let if_same = |register, other, to| instruction(0x1d, register, other, to, 0);
    let if_not = |register, value, to| instruction(0x55, register, 0, to, value);
    let if_more = |register, value, to| instruction(0x25, register, 0, to, value);
    let if_less = |register, value, to| instruction(0xa5, register, 0, to, value);
    let set_bits = |register, from| instruction(0x4f, register, from, 0, 0);
    let [map, map_second] = address_of(1, map);
    // The stack holds the number of a frame, and the flag.
    let (number, flag) = (-4, -8);
    let mut code = vec![copy(PACKET, 1), set(NUMBER, 0), store(STACK, flag, NUMBER)];
    let again = code.len();
    code.extend([store(STACK, number, NUMBER), map, map_second, copy(2, STACK), add(2, number.into())]);
    code.extend([call(LOOK_UP), if_equal(0, 0, END), copy(PLACE, 0), load(LENGTH, PLACE, 0)]);
    code.extend([
        if_less(LENGTH, MIN_FRAME_BYTES as i32, END),
        if_more(LENGTH, ProgramSender::MAX_FRAME_BYTES as i32, END),
    ]);
    // Most frames of a batch are as long as the one before.
    code.extend([load(1, PACKET, 0), if_same(1, LENGTH, 5)]);
    code.extend([copy(1, PACKET), copy(2, LENGTH), set(3, 0), call(CHANGE_LENGTH), if_not(0, 0, FAILURE)]);
    code.extend([copy(1, PACKET), set(2, 0), copy(3, PLACE), add(3, HEADER as i32), copy(4, LENGTH)]);
    code.extend([set(5, 0), call(STORE_BYTES), if_not(0, 0, FAILURE)]);
    code.extend([copy(1, PACKET), set(2, index as i32), set(3, 0), call(SEND_COPY)]);
    code.extend([if_equal(0, 0, 3), if_not(0, CONGESTED, FAILURE)]);
    code.extend([set(1, DROPS as i32), store(STACK, flag, 1)]);
    let back = again as i16 - (code.len() as i16 + 2);
    code.extend([add(NUMBER, 1), if_less(NUMBER, FRAMES as i32, back)]);
    let end = code.len();
    code.extend([copy(0, NUMBER), load(1, STACK, flag), set_bits(0, 1), exit()]);
    let failure = code.len();
    code.extend([store(PLACE, 4, 0), instruction(0x05, 0, 0, END, 0)]);
    for (at, instruction) in code.iter_mut().enumerate() {
        let to = match instruction.offset {
            END => end,
            FAILURE => failure,
            _ => continue,
        };
        instruction.offset = to as i16 - at as i16 - 1;
    }
    code
}
