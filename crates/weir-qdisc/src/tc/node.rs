//! A discipline in the tree that `tc` commands build, with its classes, filters and children.

use std::collections::BTreeMap;

use super::class::ClassSettings;
use super::codel::CodelSettings;
use super::command::TcCommand;
use super::error::TcError;
use super::fq::FqSettings;
use super::kinds::Kind;
use crate::{HtbClass, HtbConfig, HtbFilter, NetemConfig, QdiscConfig, RedConfig, TbfConfig};

/// A queueing discipline with its classes, filters and children, as commands configured it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    /// The major number, before the colon.
    pub(super) handle: u16,
    pub(super) kind: Kind,
    pub(super) classes: Vec<Class>,
    pub(super) filters: Vec<HtbFilter>,
    /// The children by the minor number of their class; TBF, netem and RED have the class 1.
    pub(super) children: BTreeMap<u16, Node>,
}

/// A class as commands configured it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    pub(super) id: u16,
    pub(super) parent: Option<u16>,
    pub(super) settings: ClassSettings,
}

impl Node {
    /// Returns the tree of commands that would create this configuration. Handles are assigned in
    /// tree order. The HTB class 1:10 has the number 0x10.
    pub(super) fn from_config(config: &QdiscConfig, free: &mut u16) -> Node {
        let handle = *free;
        *free = free.saturating_add(1);
        let (mut classes, mut filters, mut children) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut below = |minor: u32, queue: Option<&QdiscConfig>| {
            if let (Some(queue), Ok(minor)) = (queue, u16::try_from(minor)) {
                children.insert(minor, Node::from_config(queue, free));
            }
        };
        let kind = match config {
            QdiscConfig::Fifo { .. } => Kind::Fifo(config.clone()),
            QdiscConfig::Fq(fq) => Kind::Fq(FqSettings::from_config(fq)),
            QdiscConfig::Codel(codel) => Kind::Codel(CodelSettings::of_codel(codel)),
            QdiscConfig::FqCodel(fq) => Kind::FqCodel(CodelSettings::from_config(fq)),
            QdiscConfig::DualPi2(dual) => Kind::DualPi2(dual.clone()),
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
                    let has_own_queue = class.queue != QdiscConfig::default() && !htb.is_inner(class.id);
                    below(class.id, has_own_queue.then_some(&class.queue));
                    classes.extend(Class::from_htb_class(class));
                }
                filters.clone_from(&htb.filters);
                Kind::Htb { default: htb.default, r2q: 10 }
            }
        };
        Node { handle, kind, classes, filters, children }
    }

    pub(super) fn collect_handles(&self, all: &mut Vec<u16>) {
        all.push(self.handle);
        self.children.values().for_each(|child| child.collect_handles(all));
    }

    pub(super) fn find_handle(&mut self, handle: u16) -> Option<&mut Node> {
        if self.handle == handle {
            return Some(self);
        }
        self.children.values_mut().find_map(|child| child.find_handle(handle))
    }

    /// Whether a discipline may be attached here.
    pub(super) fn check_place(&self, command: &TcCommand, minor: u16) -> Result<(), TcError> {
        match &self.kind {
            Kind::Fifo(_) | Kind::Fq(_) | Kind::Codel(_) | Kind::FqCodel(_) | Kind::DualPi2(_) => {
                Err(command.error("this discipline takes no child: it has no classes"))
            }
            Kind::Tbf(_) | Kind::Netem(_) | Kind::Red(_) if minor <= 1 => Ok(()),
            Kind::Tbf(_) | Kind::Netem(_) | Kind::Red(_) => {
                Err(command.error("this discipline only has the class 1"))
            }
            Kind::Htb { .. } => {
                if self.classes.iter().all(|class| class.id != minor) {
                    return Err(command.error(format!("there is no class with the number {minor:x}")));
                }
                if self.classes.iter().any(|class| class.parent == Some(minor)) {
                    return Err(command.error("this class is the parent of others, so it has no queue"));
                }
                Ok(())
            }
        }
    }

    pub(super) fn delete_class(&mut self, command: &TcCommand, index: usize) -> Result<(), TcError> {
        let id = self.classes[index].id;
        if self.classes.iter().any(|class| class.parent == Some(id)) {
            return Err(command.error("the class has child classes: delete them first"));
        }
        // The class's own filters are deleted, too.
        self.filters.retain(|filter| filter.parent != Some(u32::from(id)));
        if self.filters.iter().any(|filter| filter.class == u32::from(id)) {
            return Err(command.error("filters refer to this class: delete them first"));
        }
        self.children.remove(&id);
        self.classes.remove(index);
        Ok(())
    }

    /// Returns the settings of the discipline and its children.
    pub(super) fn config(&self) -> QdiscConfig {
        let child = |minor: u16| self.children.get(&minor).map(|child| Box::new(child.config()));
        match &self.kind {
            Kind::Fifo(config) => config.clone(),
            Kind::Fq(settings) => QdiscConfig::Fq(settings.config()),
            Kind::Codel(settings) => QdiscConfig::Codel(settings.codel()),
            Kind::FqCodel(settings) => QdiscConfig::FqCodel(settings.fq_codel()),
            Kind::DualPi2(dual) => QdiscConfig::DualPi2(dual.clone()),
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

    /// Returns the settings of a class, with defaults for options that commands did not give.
    pub(super) fn class(&self, class: &Class, r2q: u64) -> HtbClass {
        let ClassSettings { rate, ceil, burst, cburst, priority, quantum } = class.settings;
        let usual = (rate / 8 / r2q).clamp(1000, 200_000) as u32;
        HtbClass {
            id: class.id.into(),
            parent: class.parent.map(u32::from),
            rate,
            ceil: ceil.unwrap_or(rate),
            burst: burst.unwrap_or(HtbClass::DEFAULT_BURST),
            cburst: cburst.unwrap_or(HtbClass::DEFAULT_BURST),
            priority,
            quantum: quantum.unwrap_or(usual),
            queue: self.children.get(&class.id).map_or(QdiscConfig::default(), Node::config),
        }
    }
}

impl Class {
    /// Returns the class with these settings; `None` if the number does not fit in `tc`'s
    /// identifiers.
    fn from_htb_class(class: &HtbClass) -> Option<Class> {
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
