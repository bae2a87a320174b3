//! The tree of disciplines that `tc` commands have configured at an interface.

use super::class::ClassSettings;
use super::command::{Object, Parent, TcCommand, Verb};
use super::error::TcError;
use super::filter::FilterSettings;
use super::kinds::Kind;
use super::node::{Class, Node};
use super::place::Place;
use super::words;
use crate::{HtbFilter, QdiscConfig};

/// The queueing disciplines that `tc` commands have configured at an interface. Initially there are
/// none, and the interface uses its own queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TcInterface {
    pub(super) root: Option<Node>,
}

/// The first handle for disciplines without a handle in the command.
const OWN_HANDLES: u16 = 0x8001;

impl TcInterface {
    /// Returns the root discipline; `None` if there is none.
    pub fn config(&self) -> Option<QdiscConfig> {
        self.root.as_ref().map(Node::config)
    }

    /// Returns whether no discipline is configured.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Executes a command.
    pub(super) fn apply(&mut self, command: &TcCommand) -> Result<(), TcError> {
        if command.is_show() {
            return Ok(());
        }
        match &command.object {
            Object::Qdisc { handle, kind } => self.qdisc(command, *handle, kind.as_ref()),
            Object::Class { id, settings } => self.class(command, *id, settings.as_ref()),
            Object::Filter { priority, settings } => self.filter(command, *priority, settings.as_ref()),
        }
    }

    /// Finds the discipline with this handle.
    fn find(&mut self, command: &TcCommand, handle: u16) -> Result<&mut Node, TcError> {
        let mut handles = Vec::new();
        if let Some(root) = &self.root {
            root.collect_handles(&mut handles);
        }
        let listed: Vec<String> = handles.iter().map(|handle| format!("{handle:x}:")).collect();
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        let there = if listed.is_empty() { "none".to_owned() } else { words::list(&listed) };
        let error = command.error(format!("there is no discipline `{handle:x}:` (existing: {there})"));
        self.root.as_mut().and_then(|root| root.find_handle(handle)).ok_or(error)
    }

    /// Executes a command about a discipline.
    fn qdisc(
        &mut self,
        command: &TcCommand,
        handle: Option<u16>,
        kind: Option<&Kind>,
    ) -> Result<(), TcError> {
        let parent = command.parent.ok_or_else(|| command.error("expected `root` or `parent 1:10`"))?;
        if let (Some(handle), Verb::Add) = (handle, command.verb)
            && self.root.as_mut().is_some_and(|root| root.find_handle(handle).is_some())
        {
            return Err(command.error(format!("there is already a discipline `{handle:x}:`")));
        }
        let mut handles = Vec::new();
        if let Some(root) = &self.root {
            root.collect_handles(&mut handles);
        }
        let free = (OWN_HANDLES..).find(|own| !handles.contains(own)).unwrap_or(OWN_HANDLES);
        let place = match parent {
            Parent::Root => Place::Root(&mut self.root),
            Parent::Id(major, minor) => {
                let node = self.find(command, major)?;
                node.check_place(command, minor)?;
                // TBF, netem and RED have one class, which scripts call 1:1 or 1:.
                let minor = if matches!(node.kind, Kind::Htb { .. }) { minor } else { 1 };
                Place::ChildQdisc(&mut node.children, minor)
            }
        };
        place.set(command, handle, free, kind)
    }

    /// Executes a command about a class.
    fn class(
        &mut self,
        command: &TcCommand,
        id: (u16, u16),
        settings: Option<&ClassSettings>,
    ) -> Result<(), TcError> {
        let node = self.find(command, id.0)?;
        if !matches!(node.kind, Kind::Htb { .. }) {
            return Err(command.error(format!("`{:x}:` has no classes: it is not htb", id.0)));
        }
        if id.1 == 0 {
            return Err(command.error("a class's number is 1 or more, such as 1:10"));
        }
        let index = node.classes.iter().position(|class| class.id == id.1);
        if command.verb == Verb::Delete {
            let index =
                index.ok_or_else(|| command.error(format!("there is no class {:x}:{:x}", id.0, id.1)))?;
            return node.delete_class(command, index);
        }
        let settings =
            settings.ok_or_else(|| command.error("missing settings of the class: expected `htb rate …`"))?;
        let parent = match command.parent {
            None | Some(Parent::Root) => None,
            Some(Parent::Id(major, _)) if major != id.0 => {
                return Err(command.error("a class and its parent must belong to the same discipline"));
            }
            Some(Parent::Id(_, 0)) => None,
            Some(Parent::Id(major, minor)) => {
                if node.classes.iter().all(|class| class.id != minor) {
                    return Err(command.error(format!("there is no class {major:x}:{minor:x}")));
                }
                Some(minor)
            }
        };
        match (index, command.verb) {
            (Some(_), Verb::Add) => {
                Err(command.error(format!("there is already a class {:x}:{:x}", id.0, id.1)))
            }
            (Some(index), _) => {
                node.classes[index].settings = settings.clone();
                Ok(())
            }
            (None, Verb::Change) => Err(command.error(format!("there is no class {:x}:{:x}", id.0, id.1))),
            (None, _) => {
                node.classes.push(Class { id: id.1, parent, settings: settings.clone() });
                Ok(())
            }
        }
    }

    /// Executes a command about a filter.
    fn filter(
        &mut self,
        command: &TcCommand,
        priority: Option<u32>,
        settings: Option<&FilterSettings>,
    ) -> Result<(), TcError> {
        let (root, inner) = match (command.parent, &self.root) {
            (Some(Parent::Id(major, minor)), _) => (major, Some(minor).filter(|minor| *minor > 0)),
            (None | Some(Parent::Root), Some(Node { handle, .. })) => (*handle, None),
            _ => return Err(command.error("there is no discipline to attach the filter to")),
        };
        let node = self.find(command, root)?;
        if !matches!(node.kind, Kind::Htb { .. }) {
            return Err(command.error(format!("`{root:x}:` has no classes: it is not htb")));
        }
        if let Some(inner) = inner
            && node.classes.iter().all(|class| class.parent != Some(inner))
        {
            let message = format!("class {root:x}:{inner:x} has no child classes to select from");
            return Err(command.error(message));
        }
        let parent = inner.map(u32::from);
        let same = |filter: &HtbFilter, priority| filter.parent == parent && filter.priority == priority;
        if command.verb == Verb::Delete {
            let before = node.filters.len();
            node.filters.retain(|filter| {
                filter.parent != parent || priority.is_some_and(|priority| filter.priority != priority)
            });
            return if before == node.filters.len() {
                Err(command.error("there is no such filter"))
            } else {
                Ok(())
            };
        }
        if command.verb == Verb::Change {
            return Err(command.error("filters can be added, replaced or deleted, but not changed"));
        }
        let settings = settings.ok_or_else(|| command.error("missing classifier: expected `u32 match …`"))?;
        let (major, class) = settings.class;
        if major != root && major != 0 {
            return Err(command.error(format!("class {major:x}:{class:x} does not belong to `{root:x}:`")));
        }
        // A filter without a priority is placed after the existing ones.
        let there = node.filters.iter().filter(|filter| filter.parent == parent);
        let preceded_by = there.map(|filter| filter.priority).max().unwrap_or(0).saturating_add(1);
        let priority = priority.unwrap_or(preceded_by);
        if command.verb == Verb::Replace {
            node.filters.retain(|filter| !same(filter, priority));
        }
        let filter = settings.filter.clone();
        node.filters.push(HtbFilter { parent, priority, filter, class: class.into() });
        Ok(())
    }
}

impl QdiscConfig {
    /// Reads a discipline from `tc` commands without `tc` and `dev`: the root discipline, and then
    /// its classes, filters and children. See [`TcCommand::parse_for_queue`].
    ///
    /// # Errors
    /// A command is not valid or does not fit those before it, or the commands leave no discipline.
    pub fn from_commands<'c>(commands: impl IntoIterator<Item = &'c str>) -> Result<Self, TcError> {
        let (mut made, mut last) = (TcInterface::default(), "");
        for text in commands {
            TcCommand::parse_for_queue(text)?.apply(&mut made)?;
            last = text;
        }
        made.config().ok_or_else(|| TcError {
            line: last.to_owned(),
            message: "expected a discipline such as `fq_codel`".to_owned(),
            suggestion: None,
        })
    }
}

impl TcCommand {
    /// Applies the command to the configuration that earlier commands created.
    ///
    /// # Errors
    /// The command does not fit that configuration, or a setting is out of range; `interface` is
    /// then unchanged.
    pub fn apply(&self, interface: &mut TcInterface) -> Result<(), TcError> {
        let mut changed = interface.clone();
        changed.apply(self)?;
        if let Some(config) = changed.config() {
            config.check().map_err(|error| self.error(error))?;
        }
        *interface = changed;
        Ok(())
    }
}
