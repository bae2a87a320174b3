//! Matches counters, meters, registers, value sets, digests and other objects with the program.

use weir_ir::ValueSetId;

use super::objects::{Cells, Digest, MeterType, Object, Register, ValueSet};
use super::resolve::{Named, Resolver};
use crate::proto::config::{self, meter_spec};

impl<'a> Resolver<'a> {
    pub(super) fn counter(&mut self, counter: &'a config::Counter) {
        let object = Object::Counter(self.layout.counters.len());
        let Some(named) = self.named(counter.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let position = self.find(&named, schema.counters.iter().map(|counter| counter.name.as_str()));
        let cells = position.map(|position| (schema.counters[position].id, schema.counters[position].size));
        let cells = self.cells(&named, cells, counter.index_type_name.as_ref(), None);
        self.layout.counters.push(cells);
    }

    pub(super) fn meter(&mut self, meter: &'a config::Meter) {
        let object = Object::Meter(self.layout.meters.len());
        let Some(named) = self.named(meter.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let position = self.find(&named, schema.meters.iter().map(|meter| meter.name.as_str()));
        let cells = position.map(|position| (schema.meters[position].id, schema.meters[position].size));
        let cells = self.cells(&named, cells, meter.index_type_name.as_ref(), meter.spec.as_ref());
        self.layout.meters.push(cells);
    }

    fn cells(
        &self,
        named: &Named<'_>,
        found: Option<(weir_ir::ExternId, u64)>,
        index: Option<&config::P4NamedType>,
        meter: Option<&config::MeterSpec>,
    ) -> Cells {
        let (cells, size) = found.unwrap_or((weir_ir::ExternId::new(0), 0));
        let index = self.types.translation(index).0;
        let meter_type = meter.map(meter_type).unwrap_or_default();
        Cells { id: named.id, name: named.name.to_owned(), cells, size, index, meter_type }
    }

    pub(super) fn direct_counter(&mut self, counter: &'a config::DirectCounter) {
        let table = self.direct_table(counter.direct_table_id);
        let object = Object::DirectCounter(table.unwrap_or(0));
        let Some(named) = self.named(counter.preamble.as_ref(), object) else { return };
        if !table.is_some_and(|table| self.layout.tables[table].has_counter()) {
            self.problems.push(format!("the {} belongs to no table in the program", named.description));
        }
    }

    pub(super) fn direct_meter(&mut self, meter: &'a config::DirectMeter) {
        let table = self.direct_table(meter.direct_table_id);
        let object = Object::DirectMeter(table.unwrap_or(0));
        let Some(named) = self.named(meter.preamble.as_ref(), object) else { return };
        match table.map(|table| &mut self.layout.tables[table]) {
            Some(table) if table.has_meter() => {
                table.meter_type = meter.spec.as_ref().map(meter_type).unwrap_or_default();
            }
            _ => self.problems.push(format!("the {} belongs to no table in the program", named.description)),
        }
    }

    fn direct_table(&self, id: u32) -> Option<usize> {
        match self.layout.object(id) {
            Some(Object::Table(table)) => Some(table),
            _ => None,
        }
    }

    pub(super) fn register(&mut self, register: &'a config::Register) {
        let object = Object::Register(self.layout.registers.len());
        let Some(named) = self.named(register.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let position = self.find(&named, schema.registers.iter().map(|register| register.name.as_str()));
        let register_schema = position.map(|position| &schema.registers[position]);
        let mut data = match self.types.data_type(register.type_spec.as_ref()) {
            Ok(data) => data,
            Err(problem) => {
                self.problems.push(format!("the {}: {problem}", named.description));
                self.layout.remove(named.id);
                return;
            }
        };
        if let Some(register_schema) = register_schema {
            data.set_bits(&mut register_schema.fields.iter().map(|(_, bits)| *bits));
            let mut leaves = Vec::new();
            data.append_widths(&mut leaves);
            if !leaves.iter().eq(register_schema.fields.iter().map(|(_, bits)| bits)) {
                self.problems
                    .push(format!("the {} has cells of another type in the program", named.description));
            }
        }
        let cells = register_schema.map(|register_schema| (register_schema.id, register_schema.size));
        let cells = self.cells(&named, cells, register.index_type_name.as_ref(), None);
        self.layout.registers.push(Register { cells, data });
    }

    pub(super) fn value_set(&mut self, set: &'a config::ValueSet) {
        let object = Object::ValueSet(self.layout.value_sets.len());
        let Some(named) = self.named(set.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let position = self.find(&named, schema.value_sets.iter().map(|set| set.name.as_str()));
        let fields_of_set = position.map_or(&[][..], |position| &schema.value_sets[position].fields);
        // The field of a value set whose members are single values has no name in P4Info.
        let fields = self.keys(&named, &set.r#match, fields_of_set, true);
        self.layout.value_sets.push(ValueSet {
            id: named.id,
            name: named.name.to_owned(),
            set: ValueSetId::new(position.unwrap_or(0)),
            size: position.map_or(0, |position| schema.value_sets[position].size),
            fields,
        });
    }

    pub(super) fn digest(&mut self, digest: &'a config::Digest) {
        let object = Object::Digest(self.layout.digests.len());
        let Some(named) = self.named(digest.preamble.as_ref(), object) else { return };
        match self.types.data_type(digest.type_spec.as_ref()) {
            Ok(data) => {
                let names = self.types.member_names(digest.type_spec.as_ref());
                self.layout.digests.push(Digest { id: named.id, name: named.name.to_owned(), data, names });
            }
            Err(problem) => {
                self.problems.push(format!("the {}: {problem}", named.description));
                self.layout.remove(named.id);
            }
        }
    }

    /// Finds the objects of an extern type for which P4Runtime has no messages.
    pub(super) fn other_objects(&mut self, found: &'a config::Extern) {
        let of_type = &found.extern_type_name;
        let schema = self.schema;
        let objects = schema.other_objects.iter().filter(|objects| objects.of_type == *of_type);
        let Some(first) = objects.clone().next() else {
            self.problems.push(format!("the program has no extern objects of the type `{of_type}`"));
            return;
        };
        if u32::from(first.type_number) != found.extern_type_id {
            let (given, objects) = (found.extern_type_id, first.type_number);
            self.problems
                .push(format!("the extern type `{of_type}` has the id {given:#x}, not {objects:#x}"));
        }
        for instance in &found.instances {
            let object = Object::Other(self.layout.unsupported.len());
            let Some(named) = self.named(instance.preamble.as_ref(), object) else { continue };
            self.find(&named, objects.clone().map(|objects| objects.name.as_str()));
            let name = format!("`{}` of the type `{of_type}`", named.name);
            self.layout.unsupported.push(name);
        }
    }
}

fn meter_type(spec: &config::MeterSpec) -> MeterType {
    match meter_spec::Type::try_from(spec.r#type) {
        Ok(meter_spec::Type::SingleRateThreeColor) => MeterType::OneRate,
        Ok(meter_spec::Type::SingleRateTwoColor) => MeterType::TwoColours,
        _ => MeterType::TwoRates,
    }
}
