//! BMv2's multicast nodes. A node has a replication id, ports and link aggregation groups, and is
//! associated with a multicast group. The switch itself knows only groups.

use std::collections::{BTreeMap, BTreeSet};

use weir_device::Port;
use weir_switch::control::{Replica, Update};

use crate::listing::listing;
use crate::{Controlled, Error};

/// The value that `simple_switch` uses as the hash that chooses a LAG's port.
const LAG_HASH: usize = 0xff;

/// A multicast node, which makes copies with one replication id.
#[derive(Clone, Debug)]
pub struct Node {
    /// The `egress_rid` of the node's copies.
    pub rid: u16,
    /// The ports to which the copies go.
    pub ports: BTreeSet<Port>,
    /// The link aggregation groups, each of which gets one copy.
    pub lags: BTreeSet<u8>,
    /// The group that it is associated with, if any.
    pub group: Option<u16>,
}

/// A switch's multicast nodes and the groups built from them.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// The nodes by handle, from 0.
    pub by_handle: BTreeMap<u64, Node>,
    /// Each group's nodes in the order of association.
    groups: BTreeMap<u16, Vec<u64>>,
    /// The ports of each link aggregation group.
    pub lags: BTreeMap<u8, BTreeSet<Port>>,
}

type ChangeResult = Result<(), Error>;

impl Nodes {
    /// Makes a change; if the switch refuses it, nothing changes.
    fn change_all(&mut self, change: impl FnOnce(&mut Self) -> ChangeResult) -> ChangeResult {
        let before = self.clone();
        change(self).inspect_err(|_| *self = before)
    }

    /// Makes a multicast group without nodes.
    pub(super) fn create_group(&mut self, control: &mut dyn Controlled, group: u16) -> ChangeResult {
        if self.switch_groups(control)?.contains(&group) {
            return Err(Error::new(format!("multicast group {group} exists already")));
        }
        self.change_all(|all| {
            all.groups.insert(group, Vec::new());
            all.update_groups(control, [group])
        })
    }

    /// Removes a group, even if it was not created by commands. Its nodes remain.
    pub(super) fn destroy_group(&mut self, control: &mut dyn Controlled, group: u16) -> ChangeResult {
        if !self.switch_groups(control)?.contains(&group) {
            return Err(Error::new(format!("there is no multicast group {group}")));
        }
        self.change_all(|all| {
            all.remove_group(group);
            control.change(&Update::SetMulticastGroup { group, replicas: None }).map(drop)
        })
    }

    /// Makes a node; its handle is the smallest that is free.
    pub(super) fn create(
        &mut self,
        rid: u16,
        ports: BTreeSet<Port>,
        lags: BTreeSet<u8>,
    ) -> Result<u64, Error> {
        let handle = (0..).find(|handle| !self.by_handle.contains_key(handle)).unwrap_or_default();
        self.by_handle.insert(handle, Node { rid, ports, lags, group: None });
        Ok(handle)
    }

    /// Replaces the ports and LAGs of a node.
    pub(super) fn change(
        &mut self,
        control: &mut dyn Controlled,
        handle: u64,
        ports: BTreeSet<Port>,
        lags: BTreeSet<u8>,
    ) -> ChangeResult {
        self.switch_groups(control)?;
        self.change_all(|all| {
            let node = all.node_mut(handle)?;
            (node.ports, node.lags) = (ports, lags);
            let group = node.group;
            all.update_groups(control, group)
        })
    }

    /// Puts a node into a group.
    pub(super) fn associate(
        &mut self,
        control: &mut dyn Controlled,
        group: u16,
        handle: u64,
    ) -> ChangeResult {
        let existing = self.switch_groups(control)?;
        let of_node = self.node_mut(handle)?.group;
        if !existing.contains(&group) {
            return Err(Error::new(format!(
                "there is no multicast group {group} (mc_mgrp_create makes one)"
            )));
        }
        if !self.groups.contains_key(&group) {
            let message = format!("multicast group {group} was made without nodes: mc_mgrp_destroy it first");
            return Err(Error::new(message));
        }
        if let Some(other) = of_node {
            return Err(Error::new(format!("node {handle} is associated with group {other} already")));
        }
        self.change_all(|all| {
            all.node_mut(handle)?.group = Some(group);
            all.groups.entry(group).or_default().push(handle);
            all.update_groups(control, [group])
        })
    }

    /// Takes a node out of a group.
    pub(super) fn dissociate(
        &mut self,
        control: &mut dyn Controlled,
        group: u16,
        handle: u64,
    ) -> ChangeResult {
        self.switch_groups(control)?;
        let node = self.node_mut(handle)?;
        if node.group != Some(group) {
            return Err(Error::new(format!("node {handle} is not associated with group {group}")));
        }
        self.change_all(|all| {
            all.node_mut(handle)?.group = None;
            all.groups.entry(group).or_default().retain(|of_group| *of_group != handle);
            all.update_groups(control, [group])
        })
    }

    /// Removes a multicast node, also from its group.
    pub(super) fn destroy(&mut self, control: &mut dyn Controlled, handle: u64) -> ChangeResult {
        self.switch_groups(control)?;
        if let Some(group) = self.node_mut(handle)?.group {
            self.dissociate(control, group, handle)?;
        }
        self.by_handle.remove(&handle);
        Ok(())
    }

    /// Sets a LAG's ports, and so the ports to which all nodes with this LAG send copies.
    pub(super) fn set_lag(
        &mut self,
        control: &mut dyn Controlled,
        lag: u8,
        ports: BTreeSet<Port>,
    ) -> ChangeResult {
        self.switch_groups(control)?;
        self.change_all(|all| {
            all.lags.insert(lag, ports);
            let with_lag = all.by_handle.values().filter(|node| node.lags.contains(&lag));
            let groups: BTreeSet<u16> = with_lag.filter_map(|node| node.group).collect();
            all.update_groups(control, groups)
        })
    }

    /// Returns the nodes of a group, if the group's replicas are exactly the copies that these
    /// nodes make.
    pub(super) fn nodes_of_group(&self, group: u16, replicas: &[Replica]) -> Option<&[u64]> {
        let handles = self.groups.get(&group)?;
        (replicas == self.group_replicas(group)).then_some(handles)
    }

    fn node_mut(&mut self, handle: u64) -> Result<&mut Node, Error> {
        let handles = listing(self.by_handle.keys());
        let missing = || Error::new(format!("there is no multicast node {handle} (there are: {handles})"));
        self.by_handle.get_mut(&handle).ok_or_else(missing)
    }

    /// Returns the switch's groups. Groups that were removed by other means lose their nodes.
    fn switch_groups(&mut self, control: &mut dyn Controlled) -> Result<BTreeSet<u16>, Error> {
        let groups = control.multicast_groups()?;
        Ok(self.retain_groups(&groups))
    }

    /// Forgets all groups except those that the switch has. Returns the numbers of the remaining
    /// groups.
    pub(super) fn retain_groups(&mut self, groups: &[(u16, Vec<Replica>)]) -> BTreeSet<u16> {
        let existing: BTreeSet<u16> = groups.iter().map(|(group, _)| *group).collect();
        let gone: Vec<u16> = self.groups.keys().copied().filter(|group| !existing.contains(group)).collect();
        gone.into_iter().for_each(|group| self.remove_group(group));
        existing
    }

    fn remove_group(&mut self, group: u16) {
        for handle in self.groups.remove(&group).unwrap_or_default() {
            if let Some(node) = self.by_handle.get_mut(&handle) {
                node.group = None;
            }
        }
    }

    fn group_replicas(&self, group: u16) -> Vec<Replica> {
        let handles = self.groups.get(&group).into_iter().flatten();
        let nodes = handles.filter_map(|handle| self.by_handle.get(handle));
        let of_lag = |lag: &u8| {
            let ports = self.lags.get(lag).filter(|ports| !ports.is_empty())?;
            ports.iter().nth(LAG_HASH % ports.len()).copied()
        };
        nodes
            .flat_map(|node| {
                let ports = node.ports.iter().copied().chain(node.lags.iter().filter_map(of_lag));
                ports.map(|port| Replica::new(port, node.rid)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Sets the replicas of the switch's groups to the copies that their nodes make. If the switch
    /// refuses one group, no group is changed.
    fn update_groups(
        &self,
        control: &mut dyn Controlled,
        groups: impl IntoIterator<Item = u16>,
    ) -> ChangeResult {
        let copies = |group| Update::SetMulticastGroup { group, replicas: Some(self.group_replicas(group)) };
        let updates: Vec<Update> = groups.into_iter().map(copies).collect();
        match &updates[..] {
            [] => Ok(()),
            [one] => control.change(one).map(drop),
            all => control.write(all).map(drop).map_err(|failed| failed.error),
        }
    }
}
