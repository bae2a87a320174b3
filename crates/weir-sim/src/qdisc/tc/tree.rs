//! What commands have made of an interface: disciplines that hang in one another.

use std::collections::BTreeMap;

use super::class::ClassSettings;
use super::codel::CodelSettings;
use super::command::{Object, Parent, TcCommand, Verb};
use super::filter::FilterSettings;
use super::fq::FqSettings;
use super::kinds::Kind;
use super::place::Place;
use super::{TcError, words};
use crate::{HtbClass, HtbConfig, HtbFilter, NetemConfig, QdiscConfig, RedConfig, TbfConfig};

/// The queueing disciplines that `tc` commands have given an interface; none at first, which leaves the interface its own queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tc {
    pub(super) root: Option<Node>,
}

/// The first of the handles that are given to disciplines for which a command names none.
const OWN_HANDLES: u16 = 0x8001;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// The number before the colon.
    pub(super) handle: u16,
    pub(super) kind: Kind,
    pub(super) classes: Vec<Class>,
    pub(super) filters: Vec<HtbFilter>,
    /// By the class that they hang in; TBF, netem and RED have the class 1.
    pub(super) children: BTreeMap<u16, Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    pub(super) id: u16,
    pub(super) parent: Option<u16>,
    pub(super) settings: ClassSettings,
}

impl Tc {
    /// The discipline at the root; `None` if there is none.
    pub fn config(&self) -> Option<QdiscConfig> {
        self.root.as_ref().map(Node::config)
    }

    pub(super) fn apply(&mut self, command: &TcCommand) -> Result<(), TcError> {
        if command.shows() {
            return Ok(());
        }
        match &command.object {
            Object::Qdisc { handle, kind } => self.qdisc(command, *handle, kind.as_ref()),
            Object::Class { id, settings } => self.class(command, *id, settings.as_ref()),
            Object::Filter { priority, settings } => self.filter(command, *priority, settings.as_ref()),
        }
    }

    /// The discipline of this handle.
    fn find(&mut self, command: &TcCommand, handle: u16) -> Result<&mut Node, TcError> {
        let mut handles = Vec::new();
        if let Some(root) = &self.root {
            root.handles(&mut handles);
        }
        let known: Vec<String> = handles.iter().map(|handle| format!("{handle:x}:")).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let there = if known.is_empty() { "none".to_owned() } else { words::list(&known) };
        let error = command.error(format!("there is no discipline `{handle:x}:` (there: {there})"));
        self.root.as_mut().and_then(|root| root.find(handle)).ok_or(error)
    }

    fn qdisc(
        &mut self,
        command: &TcCommand,
        handle: Option<u16>,
        kind: Option<&Kind>,
    ) -> Result<(), TcError> {
        let parent = command.parent.ok_or_else(|| command.error("expected `root` or `parent 1:10`"))?;
        if let (Some(handle), Verb::Add) = (handle, command.verb)
            && self.root.as_mut().is_some_and(|root| root.find(handle).is_some())
        {
            return Err(command.error(format!("there already is a discipline `{handle:x}:`")));
        }
        let mut handles = Vec::new();
        if let Some(root) = &self.root {
            root.handles(&mut handles);
        }
        let free = (OWN_HANDLES..).find(|own| !handles.contains(own)).unwrap_or(OWN_HANDLES);
        let place = match parent {
            Parent::Root => Place::Root(&mut self.root),
            Parent::Id(major, minor) => {
                let node = self.find(command, major)?;
                node.check_place(command, minor)?;
                // TBF, netem and RED have one place, which scripts call 1:1 or 1:.
                let minor = if matches!(node.kind, Kind::Htb { .. }) { minor } else { 1 };
                Place::Child(&mut node.children, minor)
            }
        };
        place.set(command, handle, free, kind)
    }

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
            settings.ok_or_else(|| command.error("nothing is said of the class: expected `htb rate …`"))?;
        let parent = match command.parent {
            None | Some(Parent::Root) => None,
            Some(Parent::Id(major, _)) if major != id.0 => {
                return Err(command.error("a class and its parent belong to one discipline"));
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
                Err(command.error(format!("there already is a class {:x}:{:x}", id.0, id.1)))
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

    fn filter(
        &mut self,
        command: &TcCommand,
        priority: Option<u32>,
        settings: Option<&FilterSettings>,
    ) -> Result<(), TcError> {
        let (root, inner) = match (command.parent, &self.root) {
            (Some(Parent::Id(major, minor)), _) => (major, Some(minor).filter(|minor| *minor > 0)),
            (None | Some(Parent::Root), Some(Node { handle, .. })) => (*handle, None),
            _ => return Err(command.error("there is no discipline to filter for")),
        };
        let node = self.find(command, root)?;
        if !matches!(node.kind, Kind::Htb { .. }) {
            return Err(command.error(format!("`{root:x}:` has no classes: it is not htb")));
        }
        if let Some(inner) = inner
            && node.classes.iter().all(|class| class.parent != Some(inner))
        {
            let message = format!("class {root:x}:{inner:x} has no classes below it to choose among");
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
            return Err(command.error("filters are added, replaced or deleted, not changed"));
        }
        let settings =
            settings.ok_or_else(|| command.error("the filter says nothing: expected `u32 match …`"))?;
        let (major, class) = settings.class;
        if major != root && major != 0 {
            return Err(command.error(format!("class {major:x}:{class:x} is not of `{root:x}:`")));
        }
        // Without a priority a filter stands behind those that are there.
        let there = node.filters.iter().filter(|filter| filter.parent == parent);
        let behind = there.map(|filter| filter.priority).max().unwrap_or(0).saturating_add(1);
        let priority = priority.unwrap_or(behind);
        if command.verb == Verb::Replace {
            node.filters.retain(|filter| !same(filter, priority));
        }
        let filter = settings.filter.clone();
        node.filters.push(HtbFilter { parent, priority, filter, class: class.into() });
        Ok(())
    }
}

impl Node {
    /// A discipline as commands could have made it, with everything in it; handles are given in the order of the tree. HTB's class 1:10
    /// has the number 0x10, whatever it is called elsewhere.
    pub(super) fn of(config: &QdiscConfig, free: &mut u16) -> Node {
        let handle = *free;
        *free = free.saturating_add(1);
        let (mut classes, mut filters, mut children) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut below = |minor: u32, queue: Option<&QdiscConfig>| {
            if let (Some(queue), Ok(minor)) = (queue, u16::try_from(minor)) {
                children.insert(minor, Node::of(queue, free));
            }
        };
        let kind = match config {
            QdiscConfig::Fifo { .. } => Kind::Fifo(config.clone()),
            QdiscConfig::Fq(fq) => Kind::Fq(FqSettings::of(fq)),
            QdiscConfig::Codel(codel) => Kind::Codel(CodelSettings::of_codel(codel)),
            QdiscConfig::FqCodel(fq) => Kind::FqCodel(CodelSettings::of(fq)),
            QdiscConfig::Red(red) => {
                below(1, red.queue.as_deref());
                Kind::Red(red.clone())
            }
            QdiscConfig::Tbf(tbf) => {
                below(1, tbf.queue.as_deref());
                Kind::Tbf(tbf.clone())
            }
            QdiscConfig::Netem(netem) => {
                below(1, netem.queue.as_deref());
                Kind::Netem(netem.clone())
            }
            QdiscConfig::Htb(htb) => {
                for class in &htb.classes {
                    let own = class.queue != QdiscConfig::default() && !htb.is_inner(class.id);
                    below(class.id, own.then_some(&class.queue));
                    classes.extend(Class::of(class));
                }
                filters.clone_from(&htb.filters);
                Kind::Htb { default: htb.default, r2q: 10 }
            }
        };
        Node { handle, kind, classes, filters, children }
    }

    fn handles(&self, all: &mut Vec<u16>) {
        all.push(self.handle);
        self.children.values().for_each(|child| child.handles(all));
    }

    fn find(&mut self, handle: u16) -> Option<&mut Node> {
        if self.handle == handle {
            return Some(self);
        }
        self.children.values_mut().find_map(|child| child.find(handle))
    }

    /// Whether a discipline can hang here.
    fn check_place(&self, command: &TcCommand, minor: u16) -> Result<(), TcError> {
        match &self.kind {
            Kind::Fifo(_) | Kind::Fq(_) | Kind::Codel(_) | Kind::FqCodel(_) => {
                Err(command.error("nothing hangs below this discipline: it has no classes"))
            }
            Kind::Tbf(_) | Kind::Netem(_) | Kind::Red(_) if minor <= 1 => Ok(()),
            Kind::Tbf(_) | Kind::Netem(_) | Kind::Red(_) => {
                Err(command.error("this discipline has the class 1 only"))
            }
            Kind::Htb { .. } => {
                if self.classes.iter().all(|class| class.id != minor) {
                    return Err(command.error(format!("there is no class with the number {minor:x}")));
                }
                if self.classes.iter().any(|class| class.parent == Some(minor)) {
                    return Err(
                        command.error("this class has classes below it, so it holds no packets itself")
                    );
                }
                Ok(())
            }
        }
    }

    fn delete_class(&mut self, command: &TcCommand, index: usize) -> Result<(), TcError> {
        let id = self.classes[index].id;
        if self.classes.iter().any(|class| class.parent == Some(id)) {
            return Err(command.error("the class has classes below it: delete those first"));
        }
        // Its own filters go along.
        self.filters.retain(|filter| filter.parent != Some(u32::from(id)));
        if self.filters.iter().any(|filter| filter.class == u32::from(id)) {
            return Err(command.error("filters send to this class: delete those first"));
        }
        self.children.remove(&id);
        self.classes.remove(index);
        Ok(())
    }

    fn config(&self) -> QdiscConfig {
        let child = |minor: u16| self.children.get(&minor).map(|child| Box::new(child.config()));
        match &self.kind {
            Kind::Fifo(config) => config.clone(),
            Kind::Fq(settings) => QdiscConfig::Fq(settings.config()),
            Kind::Codel(settings) => QdiscConfig::Codel(settings.codel()),
            Kind::FqCodel(settings) => QdiscConfig::FqCodel(settings.fq_codel()),
            Kind::Red(red) => QdiscConfig::Red(RedConfig { queue: child(1), ..red.clone() }),
            Kind::Tbf(tbf) => QdiscConfig::Tbf(TbfConfig { queue: child(1), ..tbf.clone() }),
            Kind::Netem(netem) => QdiscConfig::Netem(NetemConfig { queue: child(1), ..netem.clone() }),
            Kind::Htb { default, r2q } => QdiscConfig::Htb(HtbConfig {
                default: *default,
                classes: self.classes.iter().map(|class| self.class(class, *r2q)).collect(),
                filters: self.filters.clone(),
            }),
        }
    }

    pub(super) fn class(&self, class: &Class, r2q: u64) -> HtbClass {
        let ClassSettings { rate, ceil, burst, cburst, priority, quantum } = class.settings;
        let usual = (rate / 8 / r2q).clamp(1000, 200_000) as u32;
        HtbClass {
            id: class.id.into(),
            parent: class.parent.map(u32::from),
            rate,
            ceil: ceil.unwrap_or(rate),
            burst: burst.unwrap_or(HtbClass::USUAL_BURST),
            cburst: cburst.unwrap_or(HtbClass::USUAL_BURST),
            priority,
            quantum: quantum.unwrap_or(usual),
            queue: self.children.get(&class.id).map_or(QdiscConfig::default(), Node::config),
        }
    }
}

impl Class {
    /// None of a number that `tc` cannot write.
    fn of(class: &HtbClass) -> Option<Class> {
        let settings = ClassSettings {
            rate: class.rate,
            ceil: Some(class.ceil),
            burst: Some(class.burst),
            cburst: Some(class.cburst),
            priority: class.priority,
            quantum: Some(class.quantum),
        };
        let parent = class.parent.map(u16::try_from).transpose().ok()?;
        Some(Class { id: u16::try_from(class.id).ok()?, parent, settings })
    }
}
