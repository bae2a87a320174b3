//! The context of a run of machine code.

use std::any::Any;
use std::mem::MaybeUninit;

use weir_exec::{Environment, Executor, PacketView};
use weir_ir::{Bits, Layout, Program, State};

use crate::abi::{CallSites, Registers};
use crate::lookup_cache::LookupCache;

/// The context that machine code gets: its registers, followed by data that only the runtime
/// functions use.
#[repr(C)]
pub(crate) struct Context<'a> {
    pub registers: Registers,
    pub host: HostState<'a>,
}

impl Context<'_> {
    /// Points the registers to the state's words.
    pub(crate) fn find_words(&mut self) {
        let words = self.host.state.words_mut();
        assert_eq!(words.len(), self.host.layout.words(), "the state is of another program");
        self.registers.words = words.as_mut_ptr();
    }

    /// Returns the position of the running packet in its batch.
    pub(crate) fn packet_index(&self) -> usize {
        let (this, first) = (self.registers.packet_view as usize, self.host.first_view as usize);
        (this - first) / size_of::<PacketView<'_>>()
    }

    /// Notifies the environment which packet its next calls concern. Machine code returns after
    /// that packet.
    #[inline]
    pub(crate) fn announce_last_packet(&mut self) {
        self.registers.last_view = self.registers.packet_view.wrapping_add(1);
        self.announce_packet();
    }

    /// Notifies the environment which packet runs, and where it begins, unless it was already
    /// notified.
    pub(crate) fn announce_packet(&mut self) {
        let index = self.packet_index();
        if self.host.announced != index {
            (self.host.announced, self.host.announced_restarts) = (index, 0);
            self.host.env.begin_packet(index);
        }
        if self.host.announced_restarts != self.registers.restarts {
            self.host.announced_restarts = self.registers.restarts;
            self.host.env.packet_restarted(self.registers.packet_start as usize);
        }
    }
}

/// Headers of this many bytes can be saved without memory from the heap.
pub(crate) const SAVED_BYTES: usize = 512;

/// The data that the runtime functions use in addition to the registers.
pub(crate) struct HostState<'a> {
    /// The executor that is passed to externs.
    pub executor: &'a dyn Executor,
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub sites: &'a CallSites,
    pub state: &'a mut State,
    pub env: &'a mut dyn Environment,
    /// The first packet of the batch, and the position of the packet that the environment knows
    /// about.
    pub first_view: *const PacketView<'static>,
    pub announced: usize,
    /// The number of restarts of this packet that the environment knows about.
    pub announced_restarts: u64,
    /// The lookup cache; only in a pipeline.
    pub cache: Option<&'a LookupCache>,
    /// The vector to which emitted headers are appended; `None` in a pipeline, which writes them
    /// before the payload.
    pub out: Option<&'a mut Vec<u8>>,
    /// Memory for a copy of the parsed headers while the emitted ones are written.
    pub saved: &'a mut MaybeUninit<[u8; SAVED_BYTES]>,
    pub rare: Option<Box<RareState>>,
}

impl HostState<'_> {
    /// Keeps a panic for the caller of the machine code.
    pub(super) fn keep_panic(&mut self, panic: Box<dyn Any + Send>) {
        self.rare_state().panic = Some(panic);
    }

    pub(super) fn rare_state(&mut self) -> &mut RareState {
        self.rare.get_or_insert_default()
    }

    /// Continues the panic that was kept.
    #[cold]
    pub(crate) fn resume_panic(&mut self) -> ! {
        let panic = self.rare.as_mut().and_then(|rare| rare.panic.take());
        std::panic::resume_unwind(
            panic.unwrap_or_else(|| Box::new("an environment panicked without a message")),
        )
    }
}

/// Data for the runtime functions that most runs do not need.
#[derive(Default)]
pub(crate) struct RareState {
    /// The environment's panic.
    panic: Option<Box<dyn Any + Send>>,
    /// A vector that is kept between lookups to reuse its memory.
    pub(super) keys: Vec<Bits>,
    /// A copy of the parsed headers, if they are long.
    pub(super) saved: Vec<u8>,
}
