//! What machine code finds at run time: the context that it works on, and the functions that it calls.
//!
//! Machine code reaches memory through [`Context`] alone. Whoever enters it ([`crate::Native`]) vouches that the pointers there are good
//! for the length of the run; the functions below lean on that, each says how.

mod asking;
mod bits;

use std::any::Any;
use std::mem::MaybeUninit;

use weir_exec::{Environment, PacketView};
use weir_ir::{Bits, ExternCall, Layout, Program, State, TableId, ValueSetId};

use crate::Native;
use crate::compile::Sites;
use crate::recall::Recall;
pub(crate) use asking::{
    asked, call_extern, call_words, in_value_set, look_up, look_up_words, parsed, refuse_action,
};
pub(crate) use bits::{
    OPERATORS, binary, copy_words, grow, push_bits, push_varbit, read_bits, read_varbit, same_varbit,
};

/// What a function of machine code returns.
pub(crate) mod status {
    /// It ran to its end, or the parser accepted.
    pub const DONE: u64 = 0;
    /// `exit`.
    pub const EXIT: u64 = 1;
    /// More turns than allowed.
    pub const LOOP_LIMIT: u64 = 2;
    /// An assertion failed.
    pub const ASSERTION_FAILED: u64 = 3;
    /// The environment panicked; the panic goes on in the caller.
    pub const PANIC: u64 = 4;
    /// The parser rejected.
    pub const REJECT: u64 = 5;
    /// Added to a parser error's position.
    pub const PARSER_ERROR: u64 = 1 << 32;
}

/// What the look-up function by values adds to the action's position if an entry matched.
pub(crate) const HIT: u64 = 1 << 32;
/// What the look-up and value set functions return if the environment panicked.
pub(crate) const FAILED: u64 = u64::MAX;

/// What machine code works on. Its functions get a pointer to it.
#[repr(C)]
pub(crate) struct Registers {
    /// The state's words, as many as the layout has.
    pub words: *mut u64,
    /// The packet; only `packet_bytes` bytes from here are read.
    pub packet: *const u8,
    pub packet_bytes: u64,
    /// Bits of the packet that are consumed, never more than it has.
    pub position: u64,
    /// Turns of all loops so far.
    pub turns: u64,
    /// Where the output vector begins.
    pub out: *mut u8,
    /// Bits of it that are written.
    pub out_bits: u64,
    /// Bits that it has room for.
    pub out_capacity: u64,
    /// Of a pipeline: the packet that runs, of those of a batch, and where those end that run before the code comes back.
    pub window: *const PacketView<'static>,
    pub last: *const PacketView<'static>,
    /// The values of its inputs, as many as the pipeline has.
    pub inputs: *const u64,
    /// Where its outputs go; of a scout: where the key goes. As many words as are written.
    pub outputs: *mut u64,
    /// Where its end is told; of a scout: where it is told where the key is, as [`Part::told`](crate::recall::Part::whither).
    pub ends: *mut u64,
    /// What the word at `whither` is while it runs.
    pub told: *const u64,
    pub whither: *mut u64,
    /// Bytes that the parser took of it.
    pub consumed: u64,
    /// What tables answered lately ([`crate::recall`]).
    pub recall: *mut u64,
    /// Of a scout: the guess whose keys are wanted, bytes from one to the next, and what is subtracted from where one is.
    pub wanted: u64,
    pub stride: u64,
    pub bias: u64,
}

impl Registers {
    /// Of nothing.
    pub(crate) const fn empty() -> Self {
        Self {
            words: std::ptr::null_mut(),
            packet: std::ptr::null(),
            packet_bytes: 0,
            position: 0,
            turns: 0,
            out: std::ptr::null_mut(),
            out_bits: 0,
            out_capacity: 0,
            window: std::ptr::null(),
            last: std::ptr::null(),
            inputs: std::ptr::null(),
            outputs: std::ptr::null_mut(),
            ends: std::ptr::null_mut(),
            told: std::ptr::null(),
            whither: std::ptr::null_mut(),
            consumed: 0,
            recall: std::ptr::null_mut(),
            wanted: 0,
            stride: 0,
            bias: 0,
        }
    }

    pub const WORDS: i32 = 0;
    pub const PACKET: i32 = 8;
    pub const PACKET_BYTES: i32 = 16;
    pub const POSITION: i32 = 24;
    pub const TURNS: i32 = 32;
    pub const OUT: i32 = 40;
    pub const OUT_BITS: i32 = 48;
    pub const OUT_CAPACITY: i32 = 56;
    pub const WINDOW: i32 = 64;
    pub const LAST: i32 = 72;
    pub const INPUTS: i32 = 80;
    pub const OUTPUTS: i32 = 88;
    pub const ENDS: i32 = 96;
    pub const TOLD: i32 = 104;
    pub const WHITHER: i32 = 112;
    pub const CONSUMED: i32 = 120;
    pub const RECALL: i32 = 128;
    pub const WANTED: i32 = 136;
    pub const STRIDE: i32 = 144;
    pub const BIAS: i32 = 152;
}

/// What the functions below get: the same with what they need beside.
#[repr(C)]
pub(crate) struct Context<'a> {
    pub registers: Registers,
    pub host: Host<'a>,
}

impl Context<'_> {
    /// Points to the state's words, wherever they are now.
    pub(crate) fn find_words(&mut self) {
        let words = self.host.state.words_mut();
        assert_eq!(words.len(), self.host.executor.layout.words(), "the state is of another program");
        self.registers.words = words.as_mut_ptr();
    }

    /// The position of the packet that runs.
    pub(crate) fn turn(&self) -> usize {
        (self.registers.window as usize - self.host.first as usize) / size_of::<PacketView<'_>>()
    }

    /// Lets the environment know which packet it is asked for. Machine code comes back behind that packet.
    #[inline]
    pub(crate) fn ask(&mut self) {
        self.registers.last = self.registers.window.wrapping_add(1);
        self.tell();
    }

    /// Lets the environment know which packet runs.
    pub(crate) fn tell(&mut self) {
        let turn = self.turn();
        if self.host.turned != turn {
            self.host.turned = turn;
            self.host.env.begin_packet(turn);
        }
    }
}

/// Bytes that can be set aside without memory from the heap.
pub(crate) const ASIDE: usize = 512;

/// What the functions below need beside.
pub(crate) struct Host<'a> {
    /// Handed to externs.
    pub executor: &'a Native,
    pub sites: &'a Sites,
    pub state: &'a mut State,
    pub env: &'a mut dyn Environment,
    /// Where the first packet of a batch is, and the position of the one that the environment knows of.
    pub first: *const PacketView<'static>,
    pub turned: usize,
    /// What tables answered lately; none outside of a pipeline.
    pub recall: Option<&'a Recall>,
    /// Where emitted headers go; none in a pipeline, which has places for them.
    pub out: Option<&'a mut Vec<u8>>,
    /// Where what was parsed of the packet is set aside before headers move.
    pub aside: &'a mut MaybeUninit<[u8; ASIDE]>,
    /// What is not always needed.
    pub spare: Option<Box<Spare>>,
}

impl<'a> Host<'a> {
    pub(crate) fn program(&self) -> &'a Program {
        &self.executor.program
    }

    pub(crate) fn layout(&self) -> &'a Layout {
        &self.executor.layout
    }

    /// Goes on with the environment's panic.
    #[cold]
    pub(crate) fn panic(&mut self) -> ! {
        let panic = self.spare.as_mut().and_then(|spare| spare.panic.take());
        std::panic::resume_unwind(panic.unwrap_or_else(|| Box::new("an environment panicked without a word")))
    }
}

/// What most runs do without.
#[derive(Default)]
pub(crate) struct Spare {
    /// What the environment panicked with.
    panic: Option<Box<dyn Any + Send>>,
    /// Kept between look-ups for its memory.
    keys: Vec<Bits>,
    /// What was parsed of the packet, if it is much.
    aside: Vec<u8>,
}

/// How a value lies in the words that machine code hands over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handed {
    /// ⌈width/64⌉ words.
    Words(u32),
    /// One word: the address of a varbit of at most so many bits, its length and then its words.
    Varbit(u32),
}

/// A place where a table is applied.
#[derive(Clone, Debug)]
pub(crate) struct TableSite {
    pub table: TableId,
    pub keys: Vec<Handed>,
}

/// A place where a value set is asked.
#[derive(Clone, Debug)]
pub(crate) struct SetSite {
    pub set: ValueSetId,
    pub keys: Vec<Handed>,
}

/// A place where an extern is called; machine code hands over the values of its expressions, in order.
#[derive(Clone, Debug)]
pub(crate) struct ExternSite {
    pub call: ExternCall,
    pub values: Vec<Handed>,
}

/// Makes the state 0.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn clear_state(context: *mut Context<'_>) {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    context.host.state.clear();
    context.registers.words = context.host.state.words_mut().as_mut_ptr();
}

/// Copies what was parsed of the packet, and tells where the copy is.
///
/// # Safety
/// The context is good, and not more bytes were parsed than the packet has.
pub(crate) unsafe extern "C" fn set_aside(context: *mut Context<'_>) -> *const u8 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let Context { registers, host } = unsafe { &mut *context };
    // SAFETY: by this function's contract. Nothing writes to the packet meanwhile.
    let parsed = unsafe { std::slice::from_raw_parts(registers.packet, registers.consumed as usize) };
    if parsed.len() <= ASIDE {
        let near = host.aside.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for that many bytes, in memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(parsed.as_ptr(), near, parsed.len()) };
        return near;
    }
    let far = &mut host.spare.get_or_insert_default().aside;
    far.clear();
    far.extend_from_slice(parsed);
    far.as_ptr()
}
