//! Makes the P4Info of counters, meters, registers, action profiles and digests.

use weir_ir::{Annotation, AnnotationValue, ConstArg, DataType, ExternId, ExternInstance, Type};
use weir_switch::control::CounterUnit;
use weir_switch::p4info::{Object, ObjectKind, Source, only_value};

use super::tables::i64_of;
use super::types::{type_name, type_spec};
use super::{Maker, preamble};
use crate::proto::config;
use crate::proto::config::action_profile::{SelectorSizeSemantics, SumOfMembers, SumOfWeights};
use crate::proto::config::{
    ActionProfile, Counter, CounterSpec, Digest, DirectCounter, DirectMeter, Meter, MeterSpec, P4Info,
    P4NamedType, Register, counter_spec, meter_spec,
};

impl Maker<'_> {
    /// Adds an extern object. Leaves out direct objects without a table.
    pub(super) fn extern_object(&self, object: &Object, id: ExternId, info: &mut P4Info) {
        let declared = &self.program.externs[id];
        let size = size(declared);
        match object.kind {
            ObjectKind::Counter => info.counters.push(Counter {
                preamble: preamble(object, &[]),
                spec: Some(self.counter_spec(declared)),
                size: i64_of(size),
                index_type_name: self.index_type(object),
            }),
            ObjectKind::DirectCounter => {
                if let Some(direct_table_id) = self.table_of(id) {
                    info.direct_counters.push(DirectCounter {
                        preamble: preamble(object, &[]),
                        spec: Some(self.counter_spec(declared)),
                        direct_table_id,
                    });
                }
            }
            ObjectKind::Meter => info.meters.push(Meter {
                preamble: preamble(object, &[]),
                spec: Some(self.meter_spec(declared)),
                size: i64_of(size),
                index_type_name: self.index_type(object),
            }),
            ObjectKind::DirectMeter => {
                if let Some(direct_table_id) = self.table_of(id) {
                    info.direct_meters.push(DirectMeter {
                        preamble: preamble(object, &[]),
                        spec: Some(self.meter_spec(declared)),
                        direct_table_id,
                    });
                }
            }
            ObjectKind::Register => info.registers.push(Register {
                preamble: preamble(object, &[]),
                type_spec: object.data.as_ref().map(|data| type_spec(self.program, data)),
                size: i32::try_from(size).unwrap_or(i32::MAX),
                index_type_name: self.index_type(object),
            }),
            ObjectKind::ActionProfile => info.action_profiles.push(self.profile(object, id, declared)),
            ObjectKind::Digest => info.digests.push(self.digest(object)),
            ObjectKind::Other(_) => self.other_object(object, declared, info),
            ObjectKind::Action | ObjectKind::Table | ObjectKind::ValueSet | ObjectKind::ControllerHeader => {}
        }
    }

    pub(super) fn digest(&self, object: &Object) -> Digest {
        Digest {
            preamble: preamble(object, &[]),
            type_spec: object.data.as_ref().map(|data| type_spec(self.program, data)),
        }
    }

    /// Adds an object of a type without messages of its own to the objects of this type.
    fn other_object(&self, object: &Object, declared: &ExternInstance, info: &mut P4Info) {
        let id = u32::from(object.kind.number());
        let instance = config::ExternInstance { preamble: preamble(object, &[]), info: None };
        if let Some(known) = info.externs.iter_mut().find(|known| known.extern_type_id == id) {
            known.instances.push(instance);
        } else {
            let (extern_type_name, instances) = (declared.kind.clone(), vec![instance]);
            info.externs.push(config::Extern { extern_type_id: id, extern_type_name, instances });
        }
    }

    /// Returns the newtype of the index, if it has one.
    fn index_type(&self, object: &Object) -> Option<P4NamedType> {
        match object.index.as_ref()? {
            DataType::Named(id) => type_name(self.program, Some(*id)),
            _ => None,
        }
    }

    fn profile(&self, object: &Object, id: ExternId, declared: &ExternInstance) -> ActionProfile {
        let tables = self.program.tables.iter();
        let users = tables.filter(|(table, declared)| {
            self.listed.contains(table) && self.view.implementation(self.program, declared) == Some(id)
        });
        let mut profile = ActionProfile {
            preamble: preamble(object, &["max_group_size", "selector_size_semantics", "max_member_weight"]),
            table_ids: users.map(|(table, _)| self.id(Source::Table(table))).collect(),
            with_selector: object.of_type.is_some_and(|of_type| of_type.has_groups),
            size: i64_of(size(declared)),
            ..ActionProfile::default()
        };
        if profile.with_selector {
            profile.max_group_size = number(&declared.annotations, "max_group_size").unwrap_or_default();
            profile.selector_size_semantics = semantics(&declared.annotations);
        }
        profile
    }

    /// Returns the table that a direct object belongs to.
    fn table_of(&self, id: ExternId) -> Option<u32> {
        let mut tables = self.program.tables.iter();
        let (table, _) = tables.find(|(table, declared)| {
            self.listed.contains(table) && declared.attached.iter().any(|(_, other)| *other == id)
        })?;
        Some(self.id(Source::Table(table)))
    }

    fn counter_spec(&self, declared: &ExternInstance) -> CounterSpec {
        let mut spec = CounterSpec::default();
        spec.set_unit(match CounterUnit::from_constructor(self.program, declared) {
            Some(CounterUnit::Packets) => counter_spec::Unit::Packets,
            Some(CounterUnit::Bytes) => counter_spec::Unit::Bytes,
            Some(CounterUnit::PacketsAndBytes) => counter_spec::Unit::Both,
            None => counter_spec::Unit::Unspecified,
        });
        spec
    }

    fn meter_spec(&self, declared: &ExternInstance) -> MeterSpec {
        let mut spec = MeterSpec::default();
        spec.set_unit(match CounterUnit::from_constructor(self.program, declared) {
            Some(CounterUnit::Packets) => meter_spec::Unit::Packets,
            Some(CounterUnit::Bytes) => meter_spec::Unit::Bytes,
            _ => meter_spec::Unit::Unspecified,
        });
        let rates = declared.annotations.iter().find_map(|annotation| match annotation.name.as_str() {
            "single_rate_three_color" => Some(meter_spec::Type::SingleRateThreeColor),
            "single_rate_two_color" => Some(meter_spec::Type::SingleRateTwoColor),
            _ => None,
        });
        rates.into_iter().for_each(|rates| spec.set_type(rates));
        spec
    }
}

/// Returns the first number among the constructor's arguments.
fn size(declared: &ExternInstance) -> u64 {
    let size = declared.args.iter().find_map(|arg| match arg {
        ConstArg::Bits(Type::Bits { .. }, value) => Some(value.to_u64().unwrap_or(u64::MAX)),
        _ => None,
    });
    size.unwrap_or_default()
}

/// Returns the meaning of a selector's sizes: sums of weights unless `@selector_size_semantics`
/// says otherwise.
fn semantics(annotations: &[Annotation]) -> Option<SelectorSizeSemantics> {
    match only_value(annotations, "selector_size_semantics")? {
        AnnotationValue::Text(text) if text.eq_ignore_ascii_case("sum_of_weights") => {
            Some(SelectorSizeSemantics::SumOfWeights(SumOfWeights {}))
        }
        AnnotationValue::Text(text) if text.eq_ignore_ascii_case("sum_of_members") => {
            let max_member_weight = number(annotations, "max_member_weight").unwrap_or_default();
            Some(SelectorSizeSemantics::SumOfMembers(SumOfMembers { max_member_weight }))
        }
        _ => None,
    }
}

/// Returns the number in an annotation; `None` for a negative one and for other values.
fn number(annotations: &[Annotation], name: &str) -> Option<i32> {
    match only_value(annotations, name)? {
        AnnotationValue::Int(number) => i32::try_from(number).ok().filter(|number| *number >= 0),
        _ => None,
    }
}
