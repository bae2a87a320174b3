//! Encodes requests as the protocol's messages.

use weir_ir::{Bits, TableId, ValueSetId};
use weir_switch::control::{
    Backup, Call, CounterValue, GroupMember, KeySchema, Match, MatchKind, MeterConfig, MeterRate, Replica,
    Target, Values,
};

use super::numbers::id_of;
use super::program::{Part, Program};
use super::texts::{Form, encode_value};
use crate::proto::v1::action_profile_action_set::ActionSelectionMode;
use crate::proto::v1::{
    self, Entity, FieldMatch, Update, action_profile_action, action_profile_group, entity, field_match,
    replica, table_action, update,
};
use crate::wire::shortest;

/// The width in bits of the widest number for which a text may stand.
const MAX_NUMBER: u32 = 64;

/// Makes an update of one entity.
pub(super) fn update(kind: update::Type, entity: entity::Entity) -> Update {
    Update { r#type: kind as i32, entity: Some(Entity { entity: Some(entity) }) }
}

impl Program {
    /// Encodes an entry's table and matches; keys that accept everything are left out.
    pub(super) fn entry_key(
        &self,
        table: TableId,
        matches: &[Match],
        priority: Option<u32>,
    ) -> v1::TableEntry {
        let ids = self.table_ids(table);
        v1::TableEntry {
            table_id: ids.id,
            r#match: fields(&ids.parts, &self.schema.tables[table.index()].keys, matches),
            priority: priority.map_or(0, count),
            ..v1::TableEntry::default()
        }
    }

    /// Encodes a member of a value set.
    pub(super) fn member(&self, set: ValueSetId, matches: &[Match]) -> v1::ValueSetMember {
        let keys = &self.schema.value_sets[set.index()].fields;
        v1::ValueSetMember { r#match: fields(&self.value_set_ids(set).parts, keys, matches) }
    }

    /// Encodes the target of an entry or default.
    pub(super) fn target(&self, target: &Target) -> v1::TableAction {
        use table_action::Type;
        let kind = match target {
            Target::Action(call) => Type::Action(self.call(call)),
            Target::Member(member) => Type::ActionProfileMemberId(id_of(*member)),
            Target::Group(group) => Type::ActionProfileGroupId(id_of(*group)),
            Target::OneOf(set) => {
                let actions = set.actions.iter().map(|one| v1::ActionProfileAction {
                    action: Some(self.call(&one.action)),
                    weight: count(one.weight),
                    watch_kind: one
                        .watch
                        .map(|port| action_profile_action::WatchKind::WatchPort(self.ports.write(port))),
                });
                let mode = match set.at_random {
                    true => ActionSelectionMode::Random,
                    false => ActionSelectionMode::DefaultModeDeterminedByActionSelector,
                };
                Type::ActionProfileActionSet(v1::ActionProfileActionSet {
                    group_action: set.group_action.as_ref().map(|call| self.call(call)),
                    action_profile_actions: actions.collect(),
                    action_selection_mode: mode.into(),
                    ..v1::ActionProfileActionSet::default()
                })
            }
        };
        v1::TableAction { r#type: Some(kind) }
    }

    /// Encodes an action with its arguments.
    pub(super) fn call(&self, call: &Call) -> v1::Action {
        let ids = &self.actions[call.action.index()];
        let params = &self.schema.actions[call.action.index()].params;
        let params = ids.parts.iter().zip(params).zip(&call.args);
        let params = params.map(|((part, param), value)| v1::action::Param {
            param_id: part.id,
            value: encode_value(value, &param.values, part.form),
        });
        v1::Action { action_id: ids.id, params: params.collect() }
    }
}

/// Encodes the matches of fields with these ids.
fn fields(ids: &[Part], keys: &[KeySchema], matches: &[Match]) -> Vec<FieldMatch> {
    let fields = ids.iter().zip(keys).zip(matches);
    let to_field = |((part, key), given): ((&Part, &KeySchema), &Match)| {
        Some(FieldMatch { field_id: part.id, field_match_type: Some(field(key, part.form, given)?) })
    };
    fields.filter_map(to_field).collect()
}

/// Returns the values that a field accepts, in the form for its match kind; `None` if it accepts
/// all values. Where the protocol has texts, masks and prefixes apply to the numbers that represent
/// the texts.
fn field(key: &KeySchema, form: Form, given: &Match) -> Option<field_match::FieldMatchType> {
    use field_match::{Exact, FieldMatchType as Type, Lpm, Optional, Range, Ternary};
    // Without the program, the client does not know how many bits these numbers have.
    let is_unknown = key.values == Values::Texts;
    let width = if is_unknown { MAX_NUMBER } else { key.width };
    let encode = |value: &Bits| encode_value(value, &key.values, form);
    let masked = |value: &Bits, mask: &Bits| match is_unknown {
        true => encode(value),
        false => encode(&value.resize(width).and(mask)),
    };
    let all = Bits::ones(width);
    // A number that is wider in the protocol has more leading zeros there.
    let wide = form.number_bits().unwrap_or(width);
    let prefix_len = |len: u32| count((len + wide).saturating_sub(width));
    let mask_bytes = |mask: &Bits| shortest(&if *mask == all { Bits::ones(wide) } else { mask.clone() });
    Some(match (given, key.kind) {
        (Match::Any, _) => return None,
        (Match::Exact(value), MatchKind::Exact) => Type::Exact(Exact { value: encode(value) }),
        (Match::Exact(value), MatchKind::Optional) => Type::Optional(Optional { value: encode(value) }),
        (Match::Exact(value), MatchKind::Lpm) => {
            Type::Lpm(Lpm { value: encode(value), prefix_len: prefix_len(width) })
        }
        (Match::Exact(value), MatchKind::Ternary) => {
            Type::Ternary(Ternary { value: encode(value), mask: mask_bytes(&all) })
        }
        (Match::Exact(value), MatchKind::Range) => {
            Type::Range(Range { low: encode(value), high: encode(value) })
        }
        (Match::Lpm(_, 0), _) => return None,
        (Match::Lpm(value, len), _) => {
            let mask = all.shl(u64::from(width.saturating_sub(*len)));
            Type::Lpm(Lpm { value: masked(value, &mask), prefix_len: prefix_len(*len) })
        }
        (Match::Ternary(_, mask), _) if mask.is_zero() => return None,
        (Match::Ternary(value, mask), _) => {
            let mask = mask.resize(key.width);
            Type::Ternary(Ternary { value: masked(value, &mask), mask: mask_bytes(&mask) })
        }
        (Match::Range(low, high), _) if low.is_zero() && high.resize(width) == all && !is_unknown => {
            return None;
        }
        (Match::Range(low, high), _) => Type::Range(Range { low: encode(low), high: encode(high) }),
    })
}

/// Converts a width in bits, or another small number, to the protocol's type.
fn count(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

impl Program {
    /// Encodes the members of a group.
    pub(super) fn group_members(&self, members: &[GroupMember]) -> Vec<action_profile_group::Member> {
        let member = |one: &GroupMember| action_profile_group::Member {
            member_id: id_of(one.member),
            weight: count(one.weight),
            watch_kind: one
                .watch
                .map(|port| action_profile_group::member::WatchKind::WatchPort(self.ports.write(port))),
        };
        members.iter().map(member).collect()
    }

    /// Encodes the copies of a multicast group or clone session.
    pub(super) fn replicas(&self, replicas: &[Replica]) -> Vec<v1::Replica> {
        let backup = |backup: &Backup| v1::BackupReplica {
            port: self.ports.write(backup.port),
            instance: u32::from(backup.rid),
        };
        let one = |one: &Replica| v1::Replica {
            port_kind: Some(replica::PortKind::Port(self.ports.write(one.port))),
            instance: u32::from(one.rid),
            backup_replicas: one.backups.iter().map(backup).collect(),
        };
        replicas.iter().map(one).collect()
    }
}

/// Makes the message for counts.
///
/// # Errors
/// A count has more than 63 bits.
pub(super) fn counter_data(value: CounterValue) -> Result<v1::CounterData, String> {
    let number = |count: u64| {
        i64::try_from(count)
            .map_err(|_| format!("{count} is above 2^63 - 1, the most that P4Runtime carries"))
    };
    Ok(v1::CounterData { byte_count: number(value.bytes)?, packet_count: number(value.packets)? })
}

/// Rates of a meter.
///
/// # Errors
/// A rate is not a whole number of units per second, or above 2^63 - 1.
pub(super) fn rates(config: MeterConfig) -> Result<v1::MeterConfig, String> {
    let rate = |rate: MeterRate| {
        let (whole, rest) = (rate.billionths() / MeterRate::SCALE, rate.billionths() % MeterRate::SCALE);
        match i64::try_from(whole) {
            Ok(whole) if rest == 0 => Ok(whole),
            _ => Err(format!("P4Runtime carries rates in whole units per second up to 2^63 - 1, not {rate}")),
        }
    };
    let burst =
        |burst: u64| i64::try_from(burst).map_err(|_| format!("a burst of {burst} is above 2^63 - 1"));
    Ok(v1::MeterConfig {
        cir: rate(config.committed_rate)?,
        cburst: burst(config.committed_burst)?,
        pir: rate(config.peak_rate)?,
        pburst: burst(config.peak_burst)?,
        eburst: burst(config.excess_burst)?,
    })
}

/// Encodes the number of a cell.
pub(super) fn cell(index: u64) -> v1::Index {
    v1::Index { index: i64::try_from(index).unwrap_or(i64::MAX) }
}
