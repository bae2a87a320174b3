//! One-shot actions (specification, "One Shot Action Selector Programming").

use weir_grpc::Problem;
use weir_switch::control::{ActionSet, ActionUse, Target, WeightedCall};

use super::actions::read_call;
use super::explain::explain;
use super::weights::{Watch, check_size, size, watched_port, weight};
use super::writer::Writer;
use crate::pipeline::{SizeSemantics, Table, Translator};
use crate::proto::v1;
use crate::proto::v1::action_profile_action::WatchKind;
use crate::proto::v1::action_profile_action_set::{ActionSelectionMode, SizeSemantics as GivenSizes};

/// Returns whether a target is a set of one-shot actions, from which a selector chooses.
pub(super) fn is_one_shot(target: &Target) -> bool {
    matches!(target, Target::OneOf(_))
}

/// Returns an action set in the form in which it is read back. The mode, the sizes and the numbers
/// of watched ports are as the controller wrote them. Other values are in their shortest form.
/// Values that have changed since the write have their current contents.
pub(super) fn as_written(
    mut set: v1::ActionProfileActionSet,
    written: &v1::ActionProfileActionSet,
    translator: &Translator,
) -> v1::ActionProfileActionSet {
    let random = ActionSelectionMode::Random as i32;
    if (set.action_selection_mode == random) == (written.action_selection_mode == random) {
        set.action_selection_mode = written.action_selection_mode;
    }
    set.size_semantics = written.size_semantics;
    for (one, written) in set.action_profile_actions.iter_mut().zip(&written.action_profile_actions) {
        let port = |of: &v1::ActionProfileAction| {
            watched_port(translator, of.watch_kind.as_ref().map(Watch::from)).ok().flatten()
        };
        #[expect(deprecated, reason = "older controllers write it")]
        let by_number = matches!(written.watch_kind, Some(WatchKind::Watch(_)));
        if by_number && port(one) == port(written) {
            one.watch_kind = written.watch_kind.clone();
        }
    }
    set
}

impl Writer<'_, '_, '_> {
    /// Reads the one-shot actions of an entry. Its selector chooses one of them for each flow.
    pub(super) fn action_set(
        &mut self,
        table: &Table,
        message: &v1::ActionProfileActionSet,
    ) -> Result<Target, Problem> {
        let profile = table.profile.map(|profile| &self.layout.profiles[profile]);
        let Some(profile) = profile.filter(|profile| profile.is_selector) else {
            return Err(Problem::invalid("it has no selector: its entries have no action sets"));
        };
        let at_random = match ActionSelectionMode::try_from(message.action_selection_mode) {
            Ok(ActionSelectionMode::DefaultModeDeterminedByActionSelector | ActionSelectionMode::Hash) => {
                false
            }
            Ok(ActionSelectionMode::Random) => true,
            Err(_) => return Err(Problem::invalid("`action_selection_mode` is not known")),
        };
        let sizes = match (GivenSizes::try_from(message.size_semantics), profile.sizes) {
            (Ok(GivenSizes::DefaultSizeDeterminedByActionSelector), sizes) => sizes,
            (Ok(GivenSizes::SumOfWeights), _) => SizeSemantics::SumOfWeights,
            (Ok(GivenSizes::SumOfMembers), sizes @ SizeSemantics::SumOfMembers { .. }) => sizes,
            (Ok(GivenSizes::SumOfMembers), _) => SizeSemantics::SumOfMembers { max_member_weight: 0 },
            (Err(_), _) => return Err(Problem::invalid("`size_semantics` is not known")),
        };
        let group_action = message.group_action.as_ref();
        let group_action = group_action
            .map(|action| read_call(self.layout, self.translator, table, action, ActionUse::GroupAction))
            .transpose()?;
        let actions = &message.action_profile_actions;
        let mut set = ActionSet { actions: Vec::with_capacity(actions.len()), at_random, group_action };
        for one in actions {
            let action = one.action.as_ref();
            let action = action.ok_or_else(|| Problem::invalid("an action of the set is not given"))?;
            let action = read_call(self.layout, self.translator, table, action, ActionUse::Entry)?;
            let weight = weight(profile, sizes, one.weight)?;
            let watch = self.checked_watch_port(one.watch_kind.as_ref().map(Watch::from))?;
            set.actions.push(WeightedCall { action, weight, watch });
        }
        let size = size(actions.iter().map(|one| one.weight));
        check_size(sizes, i64::from(profile.max_group_size), size).map_err(Problem::invalid)?;
        let (members, groups) = self.control().profile_len(profile.profile).map_err(explain)?;
        if members + groups > 0 {
            let name = &profile.name;
            return Err(Problem::invalid(format!(
                "`{name}` has members or groups: its tables cannot have action sets as well"
            )));
        }
        Ok(Target::OneOf(set))
    }

    /// Returns whether an entry has one-shot actions.
    pub(super) fn is_one_shot(&self, table: &Table, handle: u64) -> Result<bool, Problem> {
        if table.profile.is_none() {
            return Ok(false);
        }
        Ok(is_one_shot(&self.control().target(table.table, handle).map_err(explain)?))
    }

    /// Changes the number of entries with one-shot actions.
    pub(super) fn count_one_shots(&mut self, table: &Table, change: i64) {
        if let Some(profile) = table.profile {
            let count = self.notes.one_shots.get(profile).copied().unwrap_or(0);
            let count = count.saturating_add_signed(change);
            self.notes.one_shots.set(profile, (count > 0).then_some(count));
        }
    }

    /// Checks that no entry that uses the table's profile has one-shot actions.
    pub(super) fn no_one_shots(&mut self, table: &Table) -> Result<(), Problem> {
        match table.profile {
            Some(profile) => self.no_one_shots_of(profile),
            None => Ok(()),
        }
    }

    /// Checks that no entry that uses the profile at this position has one-shot actions.
    pub(super) fn no_one_shots_of(&mut self, position: usize) -> Result<(), Problem> {
        if self.notes.one_shots.get(position).is_none() {
            return Ok(());
        }
        // Someone other than a controller may have removed entries.
        let profile = &self.layout.profiles[position];
        let mut there = false;
        for table in &profile.tables {
            let table = self.layout.tables[*table].table;
            let mut entries = self.control().each_entry(table).map_err(explain)?;
            there |= entries.any(|entry| is_one_shot(&entry.entry.action));
        }
        if there {
            let name = &profile.name;
            return Err(Problem::invalid(format!(
                "tables of `{name}` have action sets: it cannot have members and groups as well"
            )));
        }
        self.notes.one_shots.set(position, None);
        Ok(())
    }
}
