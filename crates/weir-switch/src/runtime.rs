//! All that outlives a packet: tables, value sets, externs, groups, sessions. Packets read it, control requests change it.

use std::collections::{BTreeMap, VecDeque};

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_ir::exec::Lookup;
use weir_ir::wire::Writer;
use weir_ir::{Bits, ExternId, Program, TableId};
use weir_tables::{Field, FieldKind, KeyLayout, Table};

use crate::choices::{Choice, Choices};
use crate::control::{CloneSession, Digest, LogLine, MatchKind, Replica};
use crate::device::Nanos;
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::externs::hash::{HashKind, Hashes};
use crate::externs::meter::Colour;
use crate::externs::profile::{Outcome, choose_one};
use crate::idle::IdleTimers;
use crate::tables::TableRuntime;

/// How many digests and log lines are kept for a reader; the oldest are lost first.
pub(crate) const KEPT: usize = 4096;

pub(crate) struct Runtime {
    /// By `TableId`.
    pub tables: Vec<TableRuntime>,
    /// By `ValueSetId`.
    pub value_sets: Vec<Table>,
    /// By `ExternId`.
    pub externs: Vec<ExternState>,
    pub groups: BTreeMap<u16, Vec<Replica>>,
    pub sessions: BTreeMap<u32, CloneSession>,
    pub digests: VecDeque<Digest>,
    pub log: VecDeque<LogLine>,
    pub random: Pcg64Mcg,
    pub hashes: Hashes,
    pub idle: IdleTimers,
    pub choices: Choices,
}

/// What a look-up came to.
pub(crate) struct Found {
    pub lookup: Lookup,
    /// What the table's direct meter says.
    pub colour: Option<(ExternId, Colour)>,
    /// What an entry of an action profile's table chose.
    pub chosen: Option<Chosen>,
}

/// The group and the member that were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// None if the entry names its member or chooses among actions of its own.
    pub group: Option<u32>,
    /// The member, or the position of the action in a one-shot list; none in an empty group.
    pub member: Option<u32>,
    /// Among how many; none where there was nothing to choose.
    pub choice: Option<Choice>,
}

impl Runtime {
    /// The state at the start: constant and initial entries, zeroes everywhere else.
    pub(crate) fn new(program: &Program, externs: Vec<ExternState>, seed: u64) -> Result<Self, LoadError> {
        let value_sets = program
            .value_sets
            .values()
            .map(|set| {
                let fields = set
                    .fields
                    .iter()
                    .map(|field| {
                        let kind = MatchKind::from_name(&field.match_kind).ok_or_else(|| {
                            LoadError::Unsupported {
                                place: Place::new(program, set.loc),
                                feature: format!(
                                    "match kind `{}` in value set `{}`",
                                    field.match_kind, set.name
                                ),
                                note: None,
                            }
                        })?;
                        Ok(Field { width: field.width, kind: field_kind(kind) })
                    })
                    .collect::<Result<_, LoadError>>()?;
                Ok(Table::new(KeyLayout::new(fields), 0))
            })
            .collect::<Result<_, LoadError>>()?;
        Ok(Self {
            tables: program
                .tables
                .iter()
                .map(|(_, table)| TableRuntime::new(program, table, &externs))
                .collect::<Result<_, _>>()?,
            value_sets,
            externs,
            groups: BTreeMap::new(),
            sessions: BTreeMap::new(),
            digests: VecDeque::new(),
            log: VecDeque::new(),
            random: Pcg64Mcg::new(u128::from(seed)),
            hashes: Hashes::default(),
            idle: IdleTimers::default(),
            choices: Choices::default(),
        })
    }

    /// The state at the start but for clone sessions, CRC parameters and the random generator.
    pub(crate) fn blank(&self, program: &Program) -> Self {
        let externs = self.externs.iter().map(ExternState::blank).collect();
        let fresh = Self::new(program, externs, 0).expect("what could be loaded once can be loaded again");
        Self {
            sessions: self.sessions.clone(),
            random: self.random.clone(),
            hashes: self.hashes.clone(),
            ..fresh
        }
    }

    pub(crate) fn extern_mut(&mut self, id: ExternId) -> &mut ExternState {
        &mut self.externs[id.index()]
    }

    /// Looks a table's key values up, and in the table's action profile if it has one. A group without members acts as the table's
    /// default action in the program; the entry has been hit all the same.
    pub(crate) fn lookup(
        &mut self,
        table: TableId,
        keys: &[Bits],
        now: Nanos,
        packet_length: usize,
    ) -> Found {
        let Self { tables, externs, random, hashes, idle, choices, .. } = self;
        let runtime = &mut tables[table.index()];
        let implementation = runtime.profile;
        let met = runtime.meet(keys, now, packet_length);
        let (entry, colour) = (met.entry, met.colour);
        if let (Some(handle), Some(timer)) = (entry, met.idle) {
            idle.arm(table, handle, timer);
        }
        let found =
            |call, chosen| Found { lookup: Lookup { hit: entry.is_some(), call, entry }, colour, chosen };
        let outcome = match met.outcome {
            Outcome::Call(call) => return found(call.clone(), None),
            outcome => outcome.clone(),
        };
        let empty = tables[table.index()].own_default.clone();
        let Some(ExternState::Profile(profile)) = implementation.map(|id| &externs[id.index()]) else {
            return found(empty, None);
        };
        let mut flow = || {
            profile.flow(match profile.hash {
                Some(HashKind::Data(algorithm)) => {
                    let mut bytes = Vec::new();
                    let mut writer = Writer::new(&mut bytes);
                    tables[table.index()].selector_keys(keys).for_each(|key| writer.push(key));
                    hashes.compute(algorithm, &bytes)
                }
                Some(HashKind::Random) => random.next_u64(),
                None => 0,
            })
        };
        let member = |id: u32| profile.members.get(&id).cloned();
        let mut decide = |options: usize, usual: usize| choices.decide(options as u32, usual as u32);
        let (call, group, member, choice) = match outcome {
            Outcome::Call(call) => (Some(call), None, None, None),
            Outcome::Member(id) => (member(id), None, Some(id), None),
            Outcome::Group(group) => {
                let members = profile.groups.get(&group).map_or(&[][..], Vec::as_slice);
                let choice = profile.choose(group, flow()).map(|usual| decide(members.len(), usual));
                let chosen = choice.map(|choice| members[choice.taken as usize].0);
                (chosen.and_then(member), Some(group), chosen, choice)
            }
            Outcome::OneOf(calls) => {
                let choice = choose_one(&calls, flow()).map(|usual| decide(calls.len(), usual));
                let position = choice.map(|choice| choice.taken);
                (position.map(|p| calls[p as usize].0.clone()), None, position, choice)
            }
        };
        found(call.unwrap_or(empty), Some(Chosen { group, member, choice }))
    }

    pub(crate) fn digest(&mut self, digest: Digest) {
        if self.digests.len() == KEPT {
            self.digests.pop_front();
        }
        self.digests.push_back(digest);
    }

    pub(crate) fn log(&mut self, line: LogLine) {
        if self.log.len() == KEPT {
            self.log.pop_front();
        }
        self.log.push_back(line);
    }
}

pub(crate) fn field_kind(kind: MatchKind) -> FieldKind {
    match kind {
        MatchKind::Exact => FieldKind::Exact,
        MatchKind::Lpm => FieldKind::Lpm,
        MatchKind::Ternary => FieldKind::Ternary,
        MatchKind::Range => FieldKind::Range,
        MatchKind::Optional => FieldKind::Optional,
    }
}

/// Values as `weir-tables` has them, each in whole words.
pub(crate) fn key_words<'a>(keys: impl IntoIterator<Item = &'a Bits>, into: &mut Vec<u64>) {
    into.clear();
    for key in keys {
        let start = into.len();
        into.resize(start + key.width().div_ceil(64) as usize, 0);
        key.write_words(&mut into[start..]);
    }
}
