//! The way of a packet through all blocks without a stop: what most packets do where nothing holds them up.
//!
//! It does what [`PacketPath::ingress`](crate::path::PacketPath::ingress) and `egress` do for a unicast packet whose queue is empty and has no
//! rate. Everything else leaves it at the end of ingress or egress and goes on in the long way from there.

use std::cell::Cell;

use smallvec::SmallVec;
use weir_device::{Buffer, Port};
use weir_exec::{
    Condition, MAX_BATCH, PacketBatch, PacketView, Pipeline, PipelineEnd, PipelineSpec, Source, Stage,
};
use weir_ir::{State, Table, ValidProgram};

use super::env::{Bytes, Signals, V1Env};
use super::metadata::micros;
use super::path::{Step, V1Path, dropped, reason};
use crate::config::SwitchConfig;
use crate::packet::{PacketId, PipelinePacket, Verdict};
use crate::path::{Extent, Notes, PathContext, Straight};
use crate::stats::{DropPlace, DropReason};
use crate::tables::supports_timeout;

/// Codes with which the pipeline is left.
const AFTER_INGRESS: u32 = 1;
const DROPPED_BY_INGRESS: u32 = 2;
const AFTER_EGRESS: u32 = 3;
const DROPPED_BY_EGRESS: u32 = 4;

/// How many [`Pipeline::inputs`] there are: port, length, later, time.
const INPUTS: usize = 4;
/// Positions of those that come in again. Later is when the packet is through ingress, and in its queue and out again: a pass latency behind the time. No
/// variable of its own comes in with it; the one that does has what comes in last.
const LENGTH: usize = 1;
const LATER: usize = 2;

/// The first stages; a fault in a later one is egress's.
const PARSE: usize = 0;
const INGRESS: usize = 2;

impl V1Path {
    /// The stages. None for a program whose metadata lacks a field that it needs, or has it with another type.
    pub(super) fn plan(
        &self,
        program: &ValidProgram,
        config: &SwitchConfig,
        extent: Extent,
    ) -> Option<Pipeline> {
        let fields = &self.fields;
        let (length, time) = (fields.packet_length?, fields.ingress_global_timestamp?);
        let inputs = vec![fields.ingress_port?, length, time, time];
        let egress_spec = fields.egress_spec?;
        let drop_port = u64::from(config.drop_port);
        let leave = |condition, code, keep| Stage::LeaveIf { condition, code, keep };
        let asked = |code| self.asks.then_some(Stage::LeaveIfDeferred { code });
        let set = |field: Option<_>, source| field.map(|field| Stage::Set(field, source));
        let zero = Source::Const(0);
        let blocks = &self.blocks;

        let mut stages = vec![
            Stage::Parse { parser: blocks.parser, error: fields.parser_error },
            Stage::Control(blocks.verify),
            Stage::Control(blocks.ingress),
        ];
        stages.extend(asked(AFTER_INGRESS));
        stages.extend(fields.mcast_grp.map(|group| leave(Condition::IsNot(group, 0), AFTER_INGRESS, true)));
        stages.push(leave(Condition::Is(egress_spec, drop_port), DROPPED_BY_INGRESS, false));
        if config.priorities > 1 {
            let most = config.priorities as u64;
            stages
                .extend(fields.priority.map(|var| leave(Condition::AtLeast(var, most), AFTER_INGRESS, true)));
        }
        stages.push(Stage::Output(egress_spec, 0));
        let between = [
            set(fields.egress_port, Source::Var(egress_spec)),
            set(fields.instance_type, zero),
            set(fields.egress_spec, Source::Const(drop_port + 1)),
            set(fields.packet_length, Source::Input(LENGTH)),
            set(fields.egress_global_timestamp, Source::Input(LATER)),
            set(fields.enq_timestamp, Source::Input(LATER)),
            set(fields.enq_qdepth, zero),
            set(fields.deq_timedelta, zero),
            set(fields.deq_qdepth, zero),
        ];
        stages.extend(between.into_iter().flatten());
        stages.push(Stage::Control(blocks.egress));
        stages.extend(asked(AFTER_EGRESS));
        stages.push(leave(Condition::Is(egress_spec, drop_port), DROPPED_BY_EGRESS, false));
        stages.push(Stage::Control(blocks.update));
        stages.push(Stage::Deparse(blocks.deparser));
        if extent == Extent::ToQueues {
            stages.truncate(INGRESS + 1);
            stages.push(leave(Condition::AtLeast(egress_spec, 0), AFTER_INGRESS, true));
            stages.push(Stage::Output(egress_spec, 0));
        }
        let meanings = self.calls.meanings(program, drop_port);
        let plain = |table: &Table| {
            table.implementation.is_none() && table.attached.is_empty() && !supports_timeout(table)
        };
        let tables = program.tables.iter();
        let steady = tables.filter(|(_, table)| plain(table)).map(|(id, _)| id).collect();
        let spec =
            PipelineSpec { inputs, stages, outputs: 1, extern_semantics: meanings, cacheable_tables: steady };
        Pipeline::new(program, spec).ok()
    }

    /// Takes packets the whole way; see [`PacketPath::forward`](crate::path::PacketPath::forward).
    pub(super) fn run(
        &self,
        context: &mut PathContext<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
        verdicts: &mut Vec<Verdict>,
    ) -> usize {
        let mut taken = 0;
        while taken < buffers.len() {
            let (ran, stopped) = self.run_some(context, straight, &mut buffers[taken..]);
            taken += ran;
            if let Some(stopped) = stopped {
                self.go_on(context, stopped, &buffers[taken - 1], &straight.state, verdicts);
                break;
            }
        }
        taken
    }

    /// Takes as many packets the whole way as go at once: how many, and why no more do if the last did not come to its end.
    fn run_some(
        &self,
        context: &mut PathContext<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
    ) -> (usize, Option<Stopped>) {
        let Straight { fused, state, drops, hashed, notes, ports } = straight;
        let many = buffers.len().min(MAX_BATCH);
        let buffers = &mut buffers[..many];
        notes.make_room(many, INPUTS);
        let Notes { ids, inputs, outputs, ends } = notes;
        let (ids, inputs) = (&mut ids[..many], &mut inputs[..many * INPUTS]);
        let (outputs, ends) = (&mut outputs[..many], &mut ends[..many]);
        let time = micros(context.now);
        let later = micros(context.now.saturating_add(context.config.pass_latency));
        let mut windows = SmallVec::<[PacketView<'_>; MAX_BATCH]>::new();
        let rooms = ids.iter_mut().zip(inputs.as_chunks_mut().0);
        windows.extend(buffers.iter_mut().zip(rooms).map(|(buffer, (id, inputs))| {
            *id = buffer.id;
            *inputs = [u64::from(buffer.ingress_port), buffer.len() as u64, later, time];
            window(buffer)
        }));
        let packets = &*windows;
        let nothing = Step { id: UNKNOWN, length: 0, bytes: Bytes::Slice(&[]), parsed: 0 };
        let mut env = V1Env { batch: (packets, ids), ..self.env(context, &nothing) };
        std::mem::swap(&mut env.hashed, hashed);
        fused.begin(&mut env);
        let stop = |end: &PipelineEnd| {
            !matches!(end, PipelineEnd::Done { .. } | PipelineEnd::Fault { .. }) && !is_drop(end)
        };
        let batch = PacketBatch { packets, inputs, outputs: &mut *outputs, ends: &mut *ends, stop: &stop };
        let ran = fused.run_batch(batch, state, &mut env);
        fused.finish(&mut env);
        env.context.thread.register_lock.release();
        std::mem::swap(&mut env.hashed, hashed);
        let signals = std::mem::take(&mut env.signals);
        drop(env);
        drop(windows);
        let mut stopped = None;
        let told = outputs[..ran].iter().zip(&ends[..ran]);
        for (buffer, (egress_port, end)) in buffers[..ran].iter_mut().zip(told) {
            // Where its queue is; egress may write the field of that name, which changes nothing.
            let egress_port = *egress_port as Port;
            let lost = match *end {
                PipelineEnd::Done { start } if ports.transmit(buffer, start, egress_port) => continue,
                PipelineEnd::Done { .. } => (DropPlace::Port(egress_port), DropReason::NoSuchPort),
                PipelineEnd::Left { code: DROPPED_BY_INGRESS, .. } => {
                    (DropPlace::Ingress, DropReason::DropPort)
                }
                PipelineEnd::Left { code: DROPPED_BY_EGRESS, .. } => {
                    (DropPlace::Egress, DropReason::DropPort)
                }
                PipelineEnd::Fault { fault, stage: PARSE } => (DropPlace::Parser, reason(fault)),
                PipelineEnd::Fault { fault, stage: 1..=INGRESS } => (DropPlace::Ingress, reason(fault)),
                PipelineEnd::Fault { fault, .. } => (DropPlace::Egress, reason(fault)),
                end @ (PipelineEnd::Left { .. } | PipelineEnd::NoRoom { .. }) => {
                    stopped = Some((end, egress_port));
                    break;
                }
            };
            match drops.iter_mut().find(|(known, _)| *known == lost) {
                Some((_, count)) => *count += 1,
                None => drops.push((lost, 1)),
            }
        }
        (ran, stopped.map(|(end, egress_port)| Stopped { end, egress_port, signals }))
    }

    /// Goes on with a packet that left the straight way.
    fn go_on(
        &self,
        context: &mut PathContext<'_>,
        Stopped { end, egress_port, signals }: Stopped,
        buffer: &Buffer,
        state: &State,
        verdicts: &mut Vec<Verdict>,
    ) {
        // Nothing is traced where packets go straight through.
        let id = PacketId { packet: buffer.id, copy: 0 };
        let frame = |parsed| PipelinePacket {
            id,
            bytes: buffer.bytes().to_vec(),
            parsed,
            state: state.clone(),
            length: buffer.len(),
            truncate: None,
            recirculate: None,
            generation: 0,
        };
        match end {
            PipelineEnd::Left { code: AFTER_INGRESS, consumed } => {
                self.after_ingress(context, (buffer.ingress_port, &[]), frame(consumed), signals, verdicts);
            }
            PipelineEnd::NoRoom { consumed } => {
                let mut frame = frame(consumed);
                let mut bytes = Vec::with_capacity(2 * buffer.len());
                verdicts.push(match self.emit(context, &mut frame, &mut bytes) {
                    Ok(()) => Verdict::Transmit { port: egress_port, id, bytes },
                    Err(fault) => dropped(DropPlace::Egress, reason(fault), id),
                });
            }
            PipelineEnd::Left { consumed, .. } => {
                self.after_egress(context, egress_port, frame(consumed), signals, verdicts);
            }
            PipelineEnd::Done { .. } | PipelineEnd::Fault { .. } => {
                unreachable!("they do not stop the others")
            }
        }
    }
}

/// Why the packet that ran last did not come to its end.
struct Stopped {
    end: PipelineEnd,
    /// Where its queue is, if it came so far.
    egress_port: Port,
    /// What it asked for.
    signals: Signals,
}

/// Whether the packet is dropped, as the pipeline knows.
/// The packet with the headroom and tailroom context it.
#[inline]
fn window(buffer: &mut Buffer) -> PacketView<'_> {
    let (memory, start, end) = buffer.memory_mut();
    PacketView::new(Cell::from_mut(memory).as_slice_of_cells(), start, end)
}

fn is_drop(end: &PipelineEnd) -> bool {
    matches!(end, PipelineEnd::Left { code: DROPPED_BY_INGRESS | DROPPED_BY_EGRESS, .. })
}

/// No packet yet.
const UNKNOWN: PacketId = PacketId { packet: 0, copy: 0 };
