//! Copies one switch's state into another: when a program replaces another one
//! (`RECONCILE_AND_COMMIT`), and when files are reloaded.
//!
//! Everything that controllers and packets have changed since the old program started is read from
//! the old switch and written to the new one: entries, default actions, members, groups, cells,
//! value sets, replicas and digests. State that a program itself declares comes from the new
//! program. The token buckets of meters start again.

mod changes;
mod names;
mod read;

use std::collections::BTreeMap;

use weir_device::Nanos;
use weir_grpc::{Code, Problem};
use weir_switch::Switch;

use crate::entities;
use crate::pipeline::Pipeline;
use crate::proto::v1;
use crate::proto::v1::update::Type;

use changes::{Change, steps};
use read::read;

/// The maximum number of problems that a message lists.
const MAX_LISTED_PROBLEMS: usize = 10;

/// A switch, and the P4Info of its program.
pub struct Side<'s> {
    /// The program.
    pub pipeline: &'s mut Pipeline,
    /// The switch.
    pub switch: &'s mut Switch,
}

/// The result of copying a switch's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The number of entities that were written or deleted, by kind.
    pub written: BTreeMap<&'static str, usize>,
    /// The number of entities that do not fit in the new switch, by object and reason.
    pub lost: BTreeMap<LostEntities, usize>,
}

impl Carried {
    /// Removes the lost entities that `other` also lists.
    pub(crate) fn forget_lost(&mut self, other: &Self) {
        for (lost, count) in &other.lost {
            let Some(mine) = self.lost.get_mut(lost) else { continue };
            *mine = mine.saturating_sub(*count);
        }
        self.lost.retain(|_, count| *count > 0);
    }
}

/// Entities of one object that do not fit in another program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostEntities {
    /// A description of the entities, such as `table entries of MyIngress.routes`.
    pub what: String,
    /// The reason why the entities do not fit.
    pub why: String,
}

/// Copies the state of `old` to `new`. `fresh` is a switch that has just started the program of
/// `old`.
///
/// # Errors
/// Some state cannot be kept. The error lists it. `new` is unusable then.
pub fn reconcile(old: Side<'_>, fresh: &mut Switch, new: Side<'_>, now: Nanos) -> Result<(), String> {
    let renumbered = names::renumbered_ids(old.pipeline.p4info(), new.pipeline.p4info());
    let problems: Vec<(String, usize)> = if renumbered.is_empty() {
        let lost = carry_over(old, fresh, new, now)?.lost;
        lost.into_iter().map(|(lost, count)| (format!("{}: {}", lost.what, lost.why), count)).collect()
    } else {
        renumbered.into_values().map(|why| (why, 1)).collect()
    };
    if problems.is_empty() {
        return Ok(());
    }
    let count: usize = problems.iter().map(|(_, count)| count).sum();
    let more = match problems.iter().skip(MAX_LISTED_PROBLEMS).map(|(_, count)| count).sum() {
        0_usize => String::new(),
        more => format!("; and {more} more"),
    };
    let list: Vec<String> =
        problems.into_iter().take(MAX_LISTED_PROBLEMS).map(|(problem, _)| problem).collect();
    let list = list.join("; ");
    Err(format!("{count} entries and settings of the switch do not fit the new program: {list}{more}"))
}

/// Compares `old` with `fresh`, which runs the same program, and makes the same changes in `new`,
/// as far as they fit.
///
/// # Errors
/// A switch cannot be read.
pub fn carry_over(old: Side<'_>, fresh: &mut Switch, new: Side<'_>, now: Nanos) -> Result<Carried, String> {
    // The notes contain what controllers wrote, which is not part of the program's own state.
    let notes = std::mem::take(&mut old.pipeline.notes);
    let entities = read(old.pipeline, fresh, now);
    old.pipeline.notes = notes;
    let entities = entities?;
    let held = read(old.pipeline, old.switch, now)?;
    let info = old.pipeline.p4info();
    let renumbered = names::renumbered_ids(info, new.pipeline.p4info());
    let mut carried = Carried::default();
    let known = names::names(info);
    let lose = |carried: &mut Carried, change: &Change, why: String| {
        let description = names::describe(&change.entity, &known);
        *carried.lost.entry(LostEntities { what: description, why }).or_default() += 1;
    };
    let Side { pipeline, switch } = new;
    for step in steps(entities, held) {
        let mut fitting = Vec::with_capacity(step.len());
        for change in step {
            match names::ids(&change.entity).iter().find_map(|id| renumbered.get(id)) {
                Some(why) => lose(&mut carried, &change, why.clone()),
                None => fitting.push(change),
            }
        }
        for (change, why) in write(pipeline, switch, now, fitting, &mut carried)? {
            lose(&mut carried, &change, why);
        }
    }
    Ok(carried)
}

/// Makes changes, and returns the changes that failed. To insert an entry that the program also
/// declares, modifies that entry. Ignores the deletion of an entry that does not exist.
fn write(
    pipeline: &mut Pipeline,
    switch: &mut Switch,
    now: Nanos,
    mut changes: Vec<Change>,
    carried: &mut Carried,
) -> Result<Vec<(Change, String)>, String> {
    let mut failed = Vec::new();
    for is_last in [false, true] {
        let updates = changes.iter().map(|change| v1::Update {
            r#type: change.kind as i32,
            entity: Some(v1::Entity { entity: Some(change.entity.clone()) }),
        });
        let request = v1::WriteRequest { updates: updates.collect(), ..v1::WriteRequest::default() };
        let outcomes = entities::attempt(pipeline, switch, now, &request, &|_| true);
        let mut outcomes: BTreeMap<_, _> = outcomes.map_err(|problem| problem.message)?.into_iter().collect();
        let mut again = Vec::new();
        for (at, change) in changes.into_iter().enumerate() {
            match (outcomes.remove(&at), change.kind) {
                (None, _) | (Some(Problem { code: Code::NotFound, .. }), Type::Delete) => {}
                (Some(Problem { code: Code::AlreadyExists, .. }), Type::Insert) if !is_last => {
                    again.push(Change { kind: Type::Modify, ..change });
                    continue;
                }
                (Some(problem), _) => {
                    failed.push((change, problem.message));
                    continue;
                }
            }
            *carried.written.entry(names::kind(&change.entity)).or_default() += 1;
        }
        changes = again;
        if changes.is_empty() {
            break;
        }
    }
    Ok(failed)
}
