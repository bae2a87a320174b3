//! Locations of headers in the packet while a pipeline runs, and fields that can be read again from
//! the packet.
//!
//! A header's location is the offset of its first byte in the packet as it was parsed. It is set by
//! an extract, copied with the header, and lost when the header becomes valid in another way.
//! Fields in `facts.written` may differ from the packet.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_exec::Pipeline;
use weir_ir::{HeaderId, VarId, VarRole};

use super::Emit;
use super::packet_reads::Source;
use super::scope::PipelineScope;
use crate::runtime;

/// The location of a header that is not in the packet. It is as far as possible from all other
/// locations, including locations before the packet.
pub(super) const NO_LOCATION: u64 = 1 << 63;

impl Emit<'_, '_, '_> {
    /// Returns the variables in registers that the caller of a pipeline may read if the pipeline is
    /// left at this point.
    fn kept_vars(&self) -> Vec<VarId> {
        let private = self.unit.pipeline.map(Pipeline::private_vars);
        let stage = self.scope.as_ref().map_or(0, |scope| scope.stage);
        let ran =
            |var: &VarId| private.and_then(|private| private.get(var)).is_some_and(|first| *first < stage);
        let mut vars = self.register_vars();
        vars.retain(|var| !ran(var));
        vars
    }

    /// Stores every variable that the caller may read in the state. This costs nothing for packets
    /// that do not leave the pipeline here, because unchanged fields are not kept in registers but
    /// read from the packet again.
    pub(super) fn keep_state(&mut self) {
        if self.predicts_keys() {
            return;
        }
        let program = self.unit.program;
        let Some(PipelineScope { needs_clear_state, .. }) = self.scope else { return };
        if needs_clear_state {
            return self.spill_registers(Some(&mut self.kept_vars().iter()));
        }
        self.call_runtime(runtime::clear_state as *const u8, &[self.context]);
        let register_vars = self.kept_vars();
        let reread = |emit: &Self, var: VarId| match program.vars[var].role {
            VarRole::Field(header) if emit.is_unchanged_in_packet(header) && !emit.is_written(var) => {
                Some(header)
            }
            _ => None,
        };
        let stored: Vec<VarId> =
            register_vars.iter().copied().filter(|var| reread(self, *var).is_none()).collect();
        let state = self.state_address();
        for var in stored {
            let words: Vec<Value> = self.read(var).into_iter().map(|word| self.reload_value(word)).collect();
            self.store_var_at(state, var, &words);
        }
        let mut headers: Vec<HeaderId> = register_vars.iter().filter_map(|var| reread(self, *var)).collect();
        headers.sort_unstable();
        headers.dedup();
        for header in headers {
            // A header that was extracted and made invalid keeps its fields.
            let location = self.location(header);
            let is_extracted = self.compare_const(IntCC::NotEqual, location, NO_LOCATION);
            self.if_true(is_extracted, |emit| {
                let source = emit.packet_bytes_of_header(location, header);
                let mut offset = 0;
                for var in &program.headers[header].fields {
                    let width = program.vars[*var].ty.width();
                    if reread(emit, *var).is_some() {
                        let words = emit.read_words(source, offset, width);
                        emit.store_var_at(state, *var, &words);
                    }
                    offset += width;
                }
            });
        }
    }

    /// Returns the packet bytes from which a header's bits are read.
    pub(super) fn packet_bytes_of_header(&mut self, location: Value, header: HeaderId) -> Source {
        let zero = self.iconst(0);
        let packet = self.packet.map_or(zero, |packet| packet.address);
        let address = self.b.ins().iadd(packet, location);
        Source::Bytes { address, bytes: self.bytes_of(header) }
    }

    /// Returns the length in bytes of a header without varbit.
    pub(super) fn bytes_of(&self, header: HeaderId) -> u32 {
        let program = self.unit.program;
        program.header_types[program.headers[header].ty].fixed_width() / 8
    }

    /// Returns whether a field may have been written since its header was extracted.
    pub(super) fn is_written(&self, field: VarId) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope.facts.written.contains(&field))
    }

    /// Returns whether the packet contains a header in its parsed form, except for written fields,
    /// from the extraction of the header on; before the extraction, the header's fields are 0. An
    /// extern that gets the whole state may make any header valid.
    pub(super) fn is_unchanged_in_packet(&self, header: HeaderId) -> bool {
        let unchanged = |scope: &PipelineScope| {
            scope.facts.opaque_calls == 0 && !scope.facts.unextracted.contains(&header)
        };
        self.has_location(header) && self.scope.as_ref().is_some_and(unchanged)
    }

    /// Returns whether the packet may contain a header in its parsed form, except for written
    /// fields.
    pub(super) fn has_location(&self, header: HeaderId) -> bool {
        let located = |scope: &PipelineScope| scope.locations.contains_key(&header);
        self.is_whole(header) && self.whole_extracts && self.scope.as_ref().is_some_and(located)
    }

    /// Returns the location of a header.
    pub(super) fn location(&mut self, header: HeaderId) -> Value {
        match self.scope.as_ref().and_then(|scope| scope.locations.get(&header)) {
            Some(location) => {
                let location = *location;
                self.b.use_var(location)
            }
            None => self.iconst(NO_LOCATION),
        }
    }

    pub(super) fn set_location(&mut self, header: HeaderId, location: Value) {
        if let Some(var) = self.scope.as_ref().and_then(|scope| scope.locations.get(&header)) {
            self.b.def_var(*var, location);
        }
    }

    /// Sets the location of a header that was extracted from this byte on, if all extracts begin at
    /// whole bytes.
    pub(super) fn record_location(&mut self, header: HeaderId, at: Value) {
        if self.scope.is_none() {
            return;
        }
        let location = if self.has_location(header) { at } else { self.iconst(NO_LOCATION) };
        self.set_location(header, location);
    }

    /// Keeps the location of a header that becomes valid, if it was valid before.
    pub(super) fn keep_location_if_valid(&mut self, header: HeaderId) {
        if self.scope.is_none() {
            return;
        }
        let (valid, before, no_location) =
            (self.is_valid(header), self.location(header), self.iconst(NO_LOCATION));
        let location = self.select(valid, before, no_location);
        self.set_location(header, location);
        if let Some(fields) = self.fields_location(header) {
            // If both are the same, a single value is used, so that later code can see that no
            // field changed.
            let dfg = &self.b.func.dfg;
            let is_same = dfg.resolve_aliases(fields) == dfg.resolve_aliases(before);
            let fields = if is_same { location } else { self.select(valid, fields, no_location) };
            self.set_fields_location(header, fields);
        }
    }

    /// Returns the location of a header without written fields; `None` outside of pipelines.
    pub(super) fn location_if_unchanged(&mut self, header: HeaderId) -> Option<Value> {
        self.scope.as_ref()?;
        let fields = &self.unit.program.headers[header].fields;
        let clean = fields.iter().all(|field| !self.is_written(*field));
        Some(if clean { self.location(header) } else { self.iconst(NO_LOCATION) })
    }
}
