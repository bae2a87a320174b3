//! Decodes answers from the protocol's messages.

use weir_ir::{Bits, TableId, ValueSetId};
use weir_switch::control::{
    ActionSet, Backup, Call, CounterValue, Entry, EntryState, GroupMember, KeySchema, Match, MatchKind,
    MeterConfig, MeterCounts, MeterRate, Replica, Target, WeightedCall,
};

use super::numbers::number_of;
use super::program::{Part, Program};
use super::texts::{self, Form};
use crate::proto::v1::action_profile_action_set::ActionSelectionMode;
use crate::proto::v1::{
    self, FieldMatch, action_profile_action, action_profile_group, field_match, replica, table_action,
};

impl Program {
    /// Decodes an entry. Its handle is 0, because the protocol has no handles.
    ///
    /// # Errors
    /// The entry names an object or a text that the P4Info does not have.
    pub(super) fn entry(&self, read: &v1::TableEntry) -> Result<(TableId, EntryState), String> {
        let table = self.table_id(read.table_id).ok_or_else(|| {
            format!(
                "the switch answered with an entry of table {:#010x}, which its P4Info does not have",
                read.table_id
            )
        })?;
        let schema = &self.schema.tables[table.index()];
        let hits =
            read.counter_data.or_else(|| schema.direct_counter.as_ref().map(|_| v1::CounterData::default()));
        let entry = Entry {
            matches: self.matches(&self.table_ids(table).parts, &schema.keys, &read.r#match)?,
            priority: schema.needs_priority().then(|| u32::try_from(read.priority).unwrap_or(0)),
            action: self.decode_target(read.action.as_ref())?,
            idle_timeout: u64::try_from(read.idle_timeout_ns).ok().filter(|timeout| *timeout > 0),
        };
        let state = EntryState {
            handle: 0,
            entry,
            is_const: read.is_const,
            hits: hits.map(decode_counts),
            last_hit: None,
        };
        Ok((table, state))
    }

    /// Decodes the matches of an entry, one for each key.
    fn matches(&self, ids: &[Part], keys: &[KeySchema], sent: &[FieldMatch]) -> Result<Vec<Match>, String> {
        let find = |id: u32| sent.iter().find(|one| one.field_id == id);
        let fields = ids.iter().zip(keys);
        fields.map(|(part, key)| decode_field(key, part.form, find(part.id))).collect()
    }

    /// Decodes the members of a value set.
    ///
    /// # Errors
    /// A member has a text that the P4Info does not have.
    pub(super) fn decode_members(
        &self,
        set: ValueSetId,
        members: &[v1::ValueSetMember],
    ) -> Result<Vec<Vec<Match>>, String> {
        let ids = &self.value_set_ids(set).parts;
        let keys = &self.schema.value_sets[set.index()].fields;
        members.iter().map(|member| self.matches(ids, keys, &member.r#match)).collect()
    }

    /// Decodes the target of an entry or default.
    ///
    /// # Errors
    /// The target names an action that the P4Info does not have, or no action.
    pub(super) fn decode_target(&self, read: Option<&v1::TableAction>) -> Result<Target, String> {
        use table_action::Type;
        Ok(match read.and_then(|read| read.r#type.as_ref()) {
            Some(Type::Action(action)) => Target::Action(self.decode_call(action)?),
            Some(Type::ActionProfileMemberId(member)) => Target::Member(number_of(*member)),
            Some(Type::ActionProfileGroupId(group)) => Target::Group(number_of(*group)),
            Some(Type::ActionProfileActionSet(set)) => {
                let to_action = |message: &v1::ActionProfileAction| {
                    let action = message
                        .action
                        .as_ref()
                        .ok_or("the switch answered with a set of actions that lacks one")?;
                    Ok(WeightedCall {
                        action: self.decode_call(action)?,
                        weight: u32::try_from(message.weight).unwrap_or(0),
                        watch: match &message.watch_kind {
                            Some(action_profile_action::WatchKind::WatchPort(bytes)) => {
                                Some(self.ports.read(bytes)?)
                            }
                            _ => None,
                        },
                    })
                };
                let group_action = set.group_action.as_ref();
                Target::OneOf(ActionSet {
                    actions: set
                        .action_profile_actions
                        .iter()
                        .map(to_action)
                        .collect::<Result<_, String>>()?,
                    at_random: set.action_selection_mode() == ActionSelectionMode::Random,
                    group_action: group_action.map(|action| self.decode_call(action)).transpose()?,
                })
            }
            None => return Err("the switch answered with an entry without action".to_owned()),
        })
    }

    /// Decodes an action with its arguments.
    ///
    /// # Errors
    /// The P4Info does not have the action, or a text in its arguments.
    pub(super) fn decode_call(&self, read: &v1::Action) -> Result<Call, String> {
        let action = self.action(read.action_id).ok_or_else(|| {
            format!(
                "the switch answered with the action {:#010x}, which its P4Info does not have",
                read.action_id
            )
        })?;
        self.call_of(action, |id| Some(&read.params.iter().find(|param| param.param_id == id)?.value))
    }
}

fn decode_field(key: &KeySchema, form: Form, message: Option<&FieldMatch>) -> Result<Match, String> {
    let width = key.width;
    use field_match::FieldMatchType as Type;
    let value = |bytes: &[u8]| texts::read(bytes, width, &key.values, form);
    // A number that is wider in the protocol has more leading zeros there.
    let wide = form.number_bits().unwrap_or(width);
    let mask = |bytes: &[u8]| match Bits::from_be_bytes(wide, bytes) {
        whole if whole == Bits::ones(wide) => Bits::ones(width),
        mask => mask.resize(width),
    };
    let prefix_len = |len: i32| (u32::try_from(len).unwrap_or(0) + width).saturating_sub(wide);
    Ok(match message.and_then(|message| message.field_match_type.as_ref()) {
        Some(Type::Exact(exact)) => Match::Exact(value(&exact.value)?),
        Some(Type::Optional(optional)) => Match::Exact(value(&optional.value)?),
        Some(Type::Lpm(lpm)) => Match::Lpm(value(&lpm.value)?, prefix_len(lpm.prefix_len)),
        Some(Type::Ternary(ternary)) => Match::Ternary(value(&ternary.value)?, mask(&ternary.mask)),
        Some(Type::Range(range)) => Match::Range(value(&range.low)?, value(&range.high)?),
        // A switch in this process gives the same result.
        Some(Type::Other(_)) | None if key.kind == MatchKind::Lpm => Match::Lpm(Bits::zero(width), 0),
        Some(Type::Other(_)) | None => Match::Any,
    })
}

/// Decodes the counts of a counter's cell.
pub(super) fn decode_counts(data: v1::CounterData) -> CounterValue {
    let number = |count: i64| u64::try_from(count).unwrap_or(0);
    CounterValue { packets: number(data.packet_count), bytes: number(data.byte_count) }
}

/// Decodes the counts of a meter.
pub(super) fn decode_meter_counts(data: Option<v1::MeterCounterData>) -> MeterCounts {
    let data = data.unwrap_or_default();
    let [green, yellow, red] =
        [data.green, data.yellow, data.red].map(|counts| counts.map(decode_counts).unwrap_or_default());
    MeterCounts { green, yellow, red }
}

/// Decodes the rates of a meter.
pub(super) fn decode_rates(config: v1::MeterConfig) -> MeterConfig {
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    MeterConfig {
        committed_rate: MeterRate::per_second(number(config.cir)),
        committed_burst: number(config.cburst),
        peak_rate: MeterRate::per_second(number(config.pir)),
        peak_burst: number(config.pburst),
        excess_burst: number(config.eburst),
    }
}

impl Program {
    /// Decodes the members of a group.
    ///
    /// # Errors
    /// A port has a text that the P4Info does not have.
    pub(super) fn decode_group_members(
        &self,
        members: &[v1::action_profile_group::Member],
    ) -> Result<Vec<GroupMember>, String> {
        let to_member = |message: &v1::action_profile_group::Member| {
            let watch = match &message.watch_kind {
                Some(action_profile_group::member::WatchKind::WatchPort(bytes)) => {
                    Some(self.ports.read(bytes)?)
                }
                _ => None,
            };
            let weight = u32::try_from(message.weight).unwrap_or(0);
            Ok(GroupMember { member: number_of(message.member_id), weight, watch })
        };
        members.iter().map(to_member).collect()
    }

    /// Decodes the copies of a multicast group or clone session.
    ///
    /// # Errors
    /// A port has a text that the P4Info does not have.
    pub(super) fn decode_replicas(&self, replicas: &[v1::Replica]) -> Result<Vec<Replica>, String> {
        let backup = |backup: &v1::BackupReplica| {
            let rid = u16::try_from(backup.instance).unwrap_or(u16::MAX);
            Ok(Backup { port: self.ports.read(&backup.port)?, rid })
        };
        let to_replica = |message: &v1::Replica| {
            Ok(Replica {
                port: match &message.port_kind {
                    Some(replica::PortKind::Port(bytes)) => self.ports.read(bytes)?,
                    #[expect(deprecated, reason = "older servers answer with numbers")]
                    Some(replica::PortKind::EgressPort(port)) => *port,
                    None => 0,
                },
                rid: u16::try_from(message.instance).unwrap_or(u16::MAX),
                backups: message.backup_replicas.iter().map(backup).collect::<Result<_, String>>()?,
            })
        };
        replicas.iter().map(to_replica).collect()
    }
}
