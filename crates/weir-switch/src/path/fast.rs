//! The fast path, which runs all steps of a pass as one pipeline over packets in their buffers.
//!
//! For a packet whose queue is empty and has no rate, the result is the same as in the slow path.
//! If a packet needs an operation that the fast path does not have, it leaves the pipeline at that
//! step, and the slow path continues there.

use std::cell::Cell;
use std::sync::Arc;

use smallvec::SmallVec;
use weir_device::{Buffer, ForwardingMetadata, Nanos, Port};
use weir_exec::{CompiledPipeline, MAX_BATCH, PacketBatch, PacketView, Pipeline, PipelineEnd};
use weir_ir::State;

use super::early_ends::EarlyEnds;
use super::env::PacketEnv;
use super::extern_context::Bytes;
use super::pipeline::{INPUTS, PipelineOfSteps, Times};
use super::slow::{PassStart, QueueVisit, Walk};
use super::{Deferred, Extent, ExternContext, Fact, PacketKind, PacketPath, PathContext, PathRunner, Step};
use crate::packet::{PacketId, PipelinePacket, Verdict};
use crate::stats::{DropPlace, DropReason, PortCounters, Stats};

/// A compiled path for one thread, with memory that is used for batch after batch.
pub(crate) struct FastPath {
    pipeline: Box<dyn CompiledPipeline>,
    times: Times,
    from_host: bool,
    early_ends: EarlyEnds,
    /// The stage of each deparser, and its step.
    deparsers: Vec<(usize, usize)>,
    /// Whether calls can defer work.
    can_defer: bool,
    /// Memory for a packet's variables.
    state: State,
    hashed: Vec<u8>,
    batch: BatchMemory,
    /// The largest number of packets of the next batch: fewer than [`MAX_BATCH`] while packets end
    /// batches by adding entries.
    batch_limit: usize,
    ports: PortCounters,
    /// The number of the next packets that are counted as received; 0 between batches.
    received: usize,
    /// The next steps of the packet that left the pipeline, and of its copies; empty between
    /// packets.
    pub verdicts: Vec<Verdict>,
}

/// Inputs and results by packet. They are kept between batches, since clearing so much memory takes
/// time.
#[derive(Default)]
struct BatchMemory {
    ids: Vec<u64>,
    /// The inputs of all packets; each packet has one output.
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    ends: Vec<PipelineEnd>,
}

/// The reason why the packet that ran last did not complete the pipeline.
struct StopReason {
    end: PipelineEnd,
    /// The port of the packet's queue, if the packet was assigned to a queue.
    egress_port: Port,
    deferred: Deferred,
}

impl FastPath {
    /// Creates a fast path, if the program allows one.
    pub(crate) fn new(runner: &PathRunner, extent: Extent) -> Option<Self> {
        let PathRunner { path, executor, config, .. } = runner;
        let steps = path.pipeline(executor.program(), config, extent)?;
        let PipelineOfSteps { pipeline, times, from_host, places, drop_codes, transmit_codes, deparsers } =
            steps;
        // Metadata of a type that a pipeline cannot have.
        let pipeline = Pipeline::new(executor.program(), pipeline).ok()?;
        Some(Self {
            pipeline: Arc::clone(executor).compile_pipeline(pipeline),
            times,
            from_host,
            early_ends: EarlyEnds::new(places, drop_codes, transmit_codes),
            deparsers,
            can_defer: path.operations.can_defer(),
            state: executor.layout().state(),
            hashed: Vec::new(),
            batch: BatchMemory::default(),
            batch_limit: MAX_BATCH,
            ports: PortCounters::new(&config.ports),
            received: 0,
            verdicts: Vec::new(),
        })
    }

    /// Returns whether the switch has this port.
    pub(crate) fn has_port(&self, port: Port) -> bool {
        self.ports.exists(port)
    }

    /// Runs the first of the remaining packets of a batch, which all arrived at one time, up to the
    /// first packet that leaves the pipeline. The verdicts in [`FastPath::verdicts`] say what
    /// happens to that packet and its copies; their number is returned. If the first packet comes
    /// from a port that does not exist, this only drops that packet.
    pub(crate) fn step(
        &mut self,
        path: &PacketPath,
        context: &mut PathContext<'_>,
        arrived: Nanos,
        rest: &mut &mut [Buffer<'_>],
        stats: &mut Stats,
    ) -> usize {
        if self.received == 0 {
            self.received = self.ports.receive(rest);
        }
        let taken = match self.received {
            0 => {
                stats.received += 1;
                stats.record_drops(DropPlace::Port(rest[0].metadata.ingress_port), DropReason::NoSuchPort, 1);
                1
            }
            received => {
                let taken = self.run(path, context, arrived, &mut rest[..received]);
                self.count_packets(taken as u64, stats);
                self.received -= taken;
                taken
            }
        };
        *rest = &mut std::mem::take(rest)[taken..];
        self.verdicts.len()
    }

    /// Ends a batch before these packets have run, and removes them from the count of received
    /// packets.
    pub(crate) fn take_back(&mut self, rest: &[Buffer<'_>]) {
        let received = std::mem::take(&mut self.received);
        self.ports.take_back(&rest[..received]);
    }

    /// Counts packets that have run.
    fn count_packets(&mut self, packets: u64, stats: &mut Stats) {
        stats.received += packets;
        stats.in_flight += packets;
        stats.passes += packets;
        let transmitted = self.ports.take_transmitted();
        stats.transmitted += transmitted;
        stats.in_flight -= transmitted + self.early_ends.settle(stats);
    }

    /// Moves the counts of the ports to the statistics.
    pub(crate) fn flush_port_counts(&mut self, stats: &mut Stats) {
        self.ports.settle(stats);
    }

    /// Runs packets up to the first one that leaves the pipeline, which continues in the slow path.
    /// Returns how many packets have run.
    fn run(
        &mut self,
        path: &PacketPath,
        context: &mut PathContext<'_>,
        arrived: Nanos,
        buffers: &mut [Buffer<'_>],
    ) -> usize {
        let mut taken = 0;
        while taken < buffers.len() {
            let (ran, stopped) = self.run_batch(path, context, arrived, &mut buffers[taken..]);
            taken += ran;
            // A batch that ends early was prepared for nothing.
            self.batch_limit =
                if context.thread.has_added { ran } else { MAX_BATCH.min(2 * self.batch_limit) };
            if let Some(stopped) = stopped {
                self.continue_slowly(path, context, stopped, (&buffers[taken - 1], arrived));
                break;
            }
            // The owner adds the entry before the next packet runs.
            if context.thread.has_added {
                break;
            }
        }
        taken
    }

    /// Runs as many packets as the executor takes at once. Returns how many, and why the last one
    /// did not complete the pipeline, if it did not.
    fn run_batch(
        &mut self,
        path: &PacketPath,
        context: &mut PathContext<'_>,
        arrived: Nanos,
        buffers: &mut [Buffer<'_>],
    ) -> (usize, Option<StopReason>) {
        let Self { pipeline, early_ends, state, hashed, batch, ports, .. } = self;
        let Times { unit, ingress } = self.times;
        let count = buffers.len().min(self.batch_limit);
        let buffers = &mut buffers[..count];
        batch.reserve(count);
        let BatchMemory { ids, inputs, outputs, ends } = batch;
        let (ids, inputs) = (&mut ids[..count], &mut inputs[..count * INPUTS]);
        let (outputs, ends) = (&mut outputs[..count], &mut ends[..count]);
        let ingress_time = unit.convert(if ingress == Fact::PassTime { context.now } else { arrived });
        let egress_time = unit.convert(context.now.saturating_add(context.config.pass_latency));
        let mut packets = SmallVec::<[PacketView<'_>; MAX_BATCH]>::new();
        let rooms = ids.iter_mut().zip(inputs.as_chunks_mut().0);
        packets.extend(buffers.iter_mut().zip(rooms).map(|(buffer, (id, inputs))| {
            *id = buffer.metadata.id;
            *inputs = [u64::from(buffer.metadata.ingress_port), egress_time, ingress_time];
            packet_view(buffer)
        }));
        if self.from_host {
            for input in inputs.as_chunks_mut::<INPUTS>().0 {
                input[1] = u64::from(context.config.is_host_port(input[0] as Port));
            }
        }
        let (packets_ref, ids) = (&*packets, &*ids);
        let mut packet = ExternContext::new(context, NO_PACKET, Bytes::Slice(&[]), 0);
        std::mem::swap(&mut packet.hashed, hashed);
        let mut env = PacketEnv::for_batch(packet, &path.operations, (packets_ref, ids), self.can_defer);
        pipeline.begin(&mut env);
        let final_codes = early_ends.final_codes();
        let stop = |end: &PipelineEnd| match end {
            PipelineEnd::Done { .. } | PipelineEnd::Fault { .. } => false,
            PipelineEnd::Left { code, .. } => final_codes >> code & 1 == 0,
            PipelineEnd::NoRoom { .. } => true,
        };
        let (outputs_ref, ends_ref) = (&mut *outputs, &mut *ends);
        let batch =
            PacketBatch { packets: packets_ref, inputs, outputs: outputs_ref, ends: ends_ref, stop: &stop };
        let ran = pipeline.run_batch(batch, state, &mut env);
        pipeline.finish(&mut env);
        env.packet.context.thread.register_lock.release();
        std::mem::swap(&mut env.packet.hashed, hashed);
        let deferred = std::mem::take(&mut env.packet.deferred);
        drop(env);
        drop(packets);
        let results = ends[..ran].iter().zip(&outputs[..ran]);
        for (buffer, (end, egress_port)) in buffers[..ran].iter_mut().zip(results) {
            // This is the port of the packet's queue. Egress may write the metadata field of that
            // name, which has no effect.
            let egress_port = *egress_port as Port;
            if let PipelineEnd::Done { start } = *end
                && ports.transmit(buffer, start, egress_port)
            {
                continue;
            }
            if !early_ends.finish(path, context, ports, buffer, (*end, egress_port)) {
                return (ran, Some(StopReason { end: *end, egress_port, deferred }));
            }
        }
        (ran, None)
    }

    /// Continues on the slow path with a packet that left the pipeline.
    fn continue_slowly(
        &mut self,
        path: &PacketPath,
        context: &mut PathContext<'_>,
        StopReason { end, egress_port, deferred }: StopReason,
        (buffer, arrived): (&Buffer<'_>, Nanos),
    ) {
        let (step, parsed) = match end {
            PipelineEnd::Left { code, consumed, .. } => (code as usize, consumed),
            PipelineEnd::NoRoom { stage, consumed, .. } => (self.deparse_step(stage as usize), consumed),
            PipelineEnd::Done { .. } | PipelineEnd::Fault { .. } => unreachable!("they stop no batch"),
        };
        // Packets on the fast path are not traced.
        let ForwardingMetadata { id, ingress_port: port, offload, .. } = buffer.metadata;
        let id = PacketId { packet: id, copy: 0 };
        let (bytes, state) = (buffer.bytes().to_vec(), self.state.clone());
        let packet = PipelinePacket { parsed, ..PipelinePacket::new(id, offload, bytes, state) };
        let (received, kind) = (Some(arrived), PacketKind::Normal);
        let (copy, is_deflected) = ((0, 0), false);
        let start = PassStart { port, received, pass: 0, kind, preserved: &[], copy, is_deflected };
        let mut walk = Walk::new(packet, start, QueueVisit::without_delay(egress_port), deferred);
        walk.prefix = path.prefix_before(step);
        path.run(context, step, walk, &mut self.verdicts);
    }

    /// Returns the step of the deparser that a stage runs.
    fn deparse_step(&self, stage: usize) -> usize {
        let deparser = self.deparsers.iter().find(|(of, _)| *of == stage);
        deparser.expect("a stage that deparses has a step").1
    }
}

impl PacketPath {
    /// Returns the number of bytes that precede the packet when a step begins, but are not part of
    /// it.
    pub(super) fn prefix_before(&self, step: usize) -> usize {
        let first = if step < self.first_of_egress { 0 } else { self.first_of_egress };
        let before = self.steps[first..step].iter().find_map(|step| match step {
            Step::Prefix { bytes, .. } => Some(*bytes),
            _ => None,
        });
        before.unwrap_or(0)
    }
}

impl BatchMemory {
    /// Makes room for this number of packets.
    fn reserve(&mut self, packets: usize) {
        if self.ids.len() < packets {
            self.ids.resize(packets, 0);
            self.inputs.resize(packets * INPUTS, 0);
            self.outputs.resize(packets, 0);
            self.ends.resize(packets, PipelineEnd::Done { start: 0 });
        }
    }
}

/// Returns a view of the packet with the free bytes around it.
#[inline]
fn packet_view<'b>(buffer: &'b mut Buffer<'_>) -> PacketView<'b> {
    let (memory, start, end) = buffer.memory_mut();
    PacketView::new(Cell::from_mut(memory).as_slice_of_cells(), start, end)
}

/// The id before the first packet of a batch.
const NO_PACKET: PacketId = PacketId { packet: 0, copy: 0 };
