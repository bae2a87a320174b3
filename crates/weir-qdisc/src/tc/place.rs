//! The place of a discipline in the tree, and the effect of commands on this place.

use std::collections::BTreeMap;

use super::command::{TcCommand, Verb};
use super::error::TcError;
use super::kinds::Kind;
use super::node::Node;
use crate::QdiscConfig;

/// A place in the tree at which a discipline can be.
pub(super) enum Place<'a> {
    Root(&'a mut Option<Node>),
    ChildQdisc(&'a mut BTreeMap<u16, Node>, u16),
}

impl Place<'_> {
    /// Returns the discipline at the place, if there is one.
    fn get(&mut self) -> Option<&mut Node> {
        match self {
            Place::Root(root) => root.as_mut(),
            Place::ChildQdisc(children, minor) => children.get_mut(minor),
        }
    }

    fn set_node(&mut self, node: Option<Node>) {
        match (self, node) {
            (Place::Root(root), node) => **root = node,
            (Place::ChildQdisc(children, minor), Some(node)) => drop(children.insert(*minor, node)),
            (Place::ChildQdisc(children, minor), None) => drop(children.remove(minor)),
        }
    }

    /// Applies a command to the discipline at this place. Without a handle in the command, the
    /// discipline gets the handle `free`.
    pub(super) fn set(
        mut self,
        command: &TcCommand,
        handle: Option<u16>,
        free: u16,
        kind: Option<&Kind>,
    ) -> Result<(), TcError> {
        let there = self.get();
        if command.verb == Verb::Delete {
            let Some(there) = there else { return Err(command.error("there is no discipline to delete")) };
            if handle.is_some_and(|handle| there.handle != handle) {
                return Err(command.error("the discipline there has another handle"));
            }
            self.set_node(None);
            return Ok(());
        }
        let kind = kind.ok_or_else(|| command.error("missing discipline: expected one such as `fq`"))?;
        match (there, command.verb) {
            (Some(_), Verb::Add) => {
                return Err(
                    command.error("there is already a discipline: use `replace` or `change`, or delete it")
                );
            }
            (Some(there), Verb::Change | Verb::Replace)
                if same_kind(&there.kind, kind) && handle.is_none_or(|handle| handle == there.handle) =>
            {
                there.kind = match (&there.kind, kind) {
                    (Kind::Fq(there), Kind::Fq(settings)) => Kind::Fq(settings.or_settings_of(there)),
                    (Kind::Codel(there), Kind::Codel(settings)) => {
                        Kind::Codel(settings.or_settings_of(there))
                    }
                    (Kind::FqCodel(there), Kind::FqCodel(settings)) => {
                        Kind::FqCodel(settings.or_settings_of(there))
                    }
                    _ => kind.clone(),
                };
                return Ok(());
            }
            (_, Verb::Change) => {
                return Err(command.error("there is no discipline with this kind and handle to change"));
            }
            _ => {}
        }
        self.set_node(Some(Node {
            handle: handle.unwrap_or(free),
            kind: kind.clone(),
            classes: Vec::new(),
            filters: Vec::new(),
            children: BTreeMap::new(),
        }));
        Ok(())
    }
}

/// Returns whether a FIFO counts packets (`pfifo`) instead of bytes (`bfifo`).
fn is_counted(fifo: &QdiscConfig) -> bool {
    matches!(fifo, QdiscConfig::Fifo { packets: Some(_), .. })
}

/// Returns whether two configurations are of the same kind.
fn same_kind(one: &Kind, other: &Kind) -> bool {
    match (one, other) {
        (Kind::Fifo(a), Kind::Fifo(b)) => is_counted(a) == is_counted(b),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
