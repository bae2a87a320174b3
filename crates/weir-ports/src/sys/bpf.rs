//! The system call `bpf(2)`: maps and programs of a few instructions. The kernel frees them when
//! their owners are dropped.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use super::mapping::Mapping;

const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE: libc::c_int = 2;
const PROGRAM_LOAD: libc::c_int = 5;
const PROGRAM_RUN: libc::c_int = 10;
const LINK_CREATE: libc::c_int = 28;

const MAP_OF_ARRAY: u32 = 2;
const MAP_OF_SOCKETS: u32 = 17;
/// A flag of an array whose memory can be mapped (`BPF_F_MMAPABLE`).
const MAPPABLE: u32 = 1 << 10;

/// The attachment point for frames that arrive (`BPF_XDP`).
const XDP: u32 = 37;

/// An instruction of the kernel's eBPF machine (RFC 9669, section 3).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    code: u8,
    /// The source register in the upper four bits, and the destination register in the lower four.
    registers: u8,
    pub(super) offset: i16,
    value: i32,
}

/// The type of a program, which determines what the program receives and may do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A packet that leaves or arrives (`BPF_PROG_TYPE_SCHED_CLS`).
    Packet,
    /// A frame that arrives, before it is a packet (`BPF_PROG_TYPE_XDP`).
    Xdp,
}

/// How a program gets the frames of an interface: from the driver or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// The program gets frames from the interface's driver.
    Native,
    /// From the kernel, for any driver.
    Generic,
}

/// Encodes an instruction of the kernel's eBPF machine.
pub(super) const fn instruction(code: u8, to: u8, from: u8, offset: i16, value: i32) -> Instruction {
    Instruction { code, registers: from << 4 | to, offset, value }
}

/// Makes the instruction `to = from`.
pub(super) const fn copy(to: u8, from: u8) -> Instruction {
    instruction(0xbf, to, from, 0, 0)
}

/// Makes the instruction `to = value`.
pub(super) const fn set(to: u8, value: i32) -> Instruction {
    instruction(0xb7, to, 0, 0, value)
}

/// Makes the instruction `to += value`.
pub(super) const fn add(to: u8, value: i32) -> Instruction {
    instruction(0x07, to, 0, 0, value)
}

/// Makes the instruction `to = *(u32 *)(from + offset)`.
pub(super) const fn load(to: u8, from: u8, offset: i16) -> Instruction {
    instruction(0x61, to, from, offset, 0)
}

/// Makes the instruction `*(u32 *)(to + offset) = from`.
pub(super) const fn store(to: u8, offset: i16, from: u8) -> Instruction {
    instruction(0x63, to, from, offset, 0)
}

/// Makes the two instructions of `to = map`.
pub(super) fn address_of(to: u8, map: &OwnedFd) -> [Instruction; 2] {
    [instruction(0x18, to, 1, 0, map.as_raw_fd()), instruction(0, 0, 0, 0, 0)]
}

/// Calls a function of the kernel. The function gets registers 1 to 5, overwrites them, and returns
/// its result in register 0.
pub(super) const fn call(function: i32) -> Instruction {
    instruction(0x85, 0, 0, 0, function)
}

/// Makes the instruction that ends the program; its result is register 0.
pub(super) const fn exit() -> Instruction {
    instruction(0x95, 0, 0, 0, 0)
}

/// The kernel's request to create a map.
#[repr(C)]
struct Map {
    kind: u32,
    key: u32,
    value: u32,
    entries: u32,
    flags: u32,
}

/// Creates an array of `entries` entries of `bytes` bytes, a multiple of eight, and maps its
/// memory.
pub(super) fn array(bytes: usize, entries: usize) -> io::Result<(OwnedFd, Mapping)> {
    let map =
        Map { kind: MAP_OF_ARRAY, key: 4, value: bytes as u32, entries: entries as u32, flags: MAPPABLE };
    let map = new_descriptor(MAP_CREATE, map)?;
    let memory = Mapping::new(map.as_fd(), bytes * entries, 0)?;
    Ok((map, memory))
}

/// Creates a map of AF_XDP sockets, by number.
pub(super) fn socket_map(sockets: &[&OwnedFd]) -> io::Result<OwnedFd> {
    /// The kernel's request to set an element of a map.
    #[repr(C)]
    struct Update {
        map: u32,
        padding: u32,
        key: u64,
        value: u64,
        flags: u64,
    }
    let map = Map { kind: MAP_OF_SOCKETS, key: 4, value: 4, entries: sockets.len() as u32, flags: 0 };
    let map = new_descriptor(MAP_CREATE, map)?;
    for (number, socket) in sockets.iter().enumerate() {
        let (key, value) = (number as u32, socket.as_raw_fd());
        let (key, value) = ((&raw const key).expose_provenance(), (&raw const value).expose_provenance());
        let map = map.as_raw_fd() as u32;
        request(MAP_UPDATE, &mut Update { map, padding: 0, key: key as u64, value: value as u64, flags: 0 })?;
    }
    Ok(map)
}

/// Loads a program into the kernel.
pub(super) fn program(kind: Kind, instructions: &[Instruction]) -> io::Result<OwnedFd> {
    /// The kernel's request to load a program.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Load {
        kind: u32,
        count: u32,
        instructions: u64,
        license: u64,
        log: [u64; 2],
        version: u32,
        flags: u32,
        name: [u8; 16],
        interface: u32,
        attachment: u32,
    }
    let (kind, attachment) = match kind {
        Kind::Packet => (3, 0),
        Kind::Xdp => (6, XDP),
    };
    let mut name = [0; 16];
    name[..4].copy_from_slice(b"weir");
    let load = Load {
        kind,
        count: instructions.len() as u32,
        instructions: instructions.as_ptr().expose_provenance() as u64,
        license: c"Apache-2.0".as_ptr().expose_provenance() as u64,
        log: [0; 2],
        version: 0,
        flags: 0,
        name,
        interface: 0,
        attachment,
    };
    repeat_interrupted(|| new_descriptor(PROGRAM_LOAD, load))
}

/// Attaches a program to an interface, until the result is dropped or the process ends.
///
/// # Errors
/// `EBUSY` or `EEXIST` if the interface has another program.
pub(super) fn attach(program: &OwnedFd, interface: u32, attachment: Attachment) -> io::Result<OwnedFd> {
    /// The kernel's request to attach a program to an interface.
    #[repr(C)]
    struct Link {
        program: u32,
        interface: u32,
        kind: u32,
        flags: u32,
    }
    let flags = match attachment {
        Attachment::Generic => 1 << 1,
        Attachment::Native => 1 << 2,
    };
    new_descriptor(LINK_CREATE, Link { program: program.as_raw_fd() as u32, interface, kind: XDP, flags })
}

/// Runs a program once for a packet that begins with `data`, and returns its result.
pub(super) fn run(program: &OwnedFd, data: &[u8]) -> io::Result<u32> {
    #[repr(C)]
    #[derive(Default)]
    struct TestRun {
        program: u32,
        result: u32,
        length: u32,
        length_out: u32,
        data: u64,
        data_out: u64,
        repeat: u32,
        duration: u32,
        context_length: [u32; 2],
        context: [u64; 2],
    }
    let mut run = TestRun {
        program: program.as_raw_fd() as u32,
        length: data.len() as u32,
        data: data.as_ptr().expose_provenance() as u64,
        repeat: 1,
        ..TestRun::default()
    };
    request(PROGRAM_RUN, &mut run)?;
    Ok(run.result)
}

/// Repeats a call that the kernel abandoned because a signal arrived (`EAGAIN`), up to four times.
fn repeat_interrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..4 {
        match call() {
            Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => {}
            other => return other,
        }
    }
    call()
}

/// Makes a request that returns a new descriptor.
fn new_descriptor<T>(command: libc::c_int, value: T) -> io::Result<OwnedFd> {
    let mut value = value;
    let descriptor = request(command, &mut value)?;
    // SAFETY: the descriptor is new, so nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Makes the system call. Addresses in the request point to values that live until the call
/// returns, and that the kernel only reads.
fn request<T>(command: libc::c_int, value: &mut T) -> io::Result<libc::c_int> {
    let (pointer, length) = ((&raw mut *value), size_of::<T>());
    // SAFETY: pointer and length are those of a live value of integers, so that the kernel may
    // write into it. The functions of this module give addresses of live values in it.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, pointer, length) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as libc::c_int) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_do_not_end_a_call() {
        let calls = |succeeds_at: usize, number| {
            let mut completed = 0;
            let result = repeat_interrupted(|| {
                completed += 1;
                if completed < succeeds_at {
                    Err(io::Error::from_raw_os_error(number))
                } else {
                    Ok(completed)
                }
            });
            (result.map_err(|error| error.raw_os_error()), completed)
        };
        assert_eq!(calls(1, libc::EAGAIN), (Ok(1), 1));
        assert_eq!(calls(5, libc::EAGAIN), (Ok(5), 5));
        assert_eq!(calls(9, libc::EAGAIN), (Err(Some(libc::EAGAIN)), 5));
        assert_eq!(calls(9, libc::EPERM), (Err(Some(libc::EPERM)), 1));
    }
}
