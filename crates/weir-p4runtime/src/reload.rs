//! A switch whose files have changed: the program and the entries to begin with are read again
//! while packets pass.
//!
//! Two things happen, each by the rule of `RECONCILE_AND_COMMIT`. If the program is another one,
//! all that the switch holds moves into a switch that runs it. Then what the files give now and did
//! not give before is written, and what they no longer give is deleted. So changes of controllers
//! stay, and a file decides about the lines that were changed in it.

use std::sync::Arc;

use weir_device::Nanos;
use weir_switch::Switch;

use crate::pipeline::{Pipeline, Translations};
use crate::reconcile::{Carried, Side, carry_over};

/// What files give a switch, as switches without packets: with their program, and their entries.
pub struct Files {
    /// As the files were before. It has the executor of the switch that runs, unless a controller
    /// has sent a program since.
    pub before: Switch,
    /// As they are now. It has the executor of `before` if the program is the same.
    pub after: Switch,
}

/// What came of a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Whether the program is another one now; the packets inside the switch were lost then.
    pub is_replaced: bool,
    /// What the new program's switch has of the old one's, and what it has no place for; empty if
    /// the program is the same.
    pub kept: Carried,
    /// What files give, or no longer give, that they did not before.
    pub changed: Carried,
}

/// A reload that is ready to happen.
pub struct Reload {
    /// What the files give now.
    after: Switch,
    /// Its program.
    pipeline: Pipeline,
    /// What of the files' old entries a switch has that runs the new program.
    base: Switch,
    /// What of them it has no place for. Nobody misses it: the files were changed.
    outdated: Carried,
    /// What ran the files' old program.
    before: Runs,
    translations: Translations,
}

impl Reload {
    /// Makes ready what needs no access to the switch that runs.
    ///
    /// # Errors
    /// A program has no P4Info.
    pub fn new(files: Files, translations: Translations) -> Result<Self, String> {
        let Files { mut before, after } = files;
        let pipeline = Pipeline::of_switch(&after, &translations)?;
        let runs = Runs::of(&before);
        let (base, outdated) = if runs == Runs::of(&after) {
            (before, Carried::default())
        } else {
            let (mut fresh, mut base) = (beginning(&before)?, beginning(&after)?);
            let old =
                Side { pipeline: &mut Pipeline::of_switch(&before, &translations)?, switch: &mut before };
            let new = Side { pipeline: &mut Pipeline::of_switch(&base, &translations)?, switch: &mut base };
            let outdated = carry_over(old, &mut fresh, new, 0)?;
            (base, outdated)
        };
        Ok(Self { after, pipeline, base, outdated, before: runs, translations })
    }

    /// Changes a switch that has no controllers.
    ///
    /// # Errors
    /// Its program has no P4Info; nothing has changed.
    pub fn apply(self, switch: &mut Switch, now: Nanos) -> Result<Reloaded, String> {
        let mut pipeline = Pipeline::of_switch(switch, &self.translations)?;
        self.change(Side { pipeline: &mut pipeline, switch }, now)
    }

    /// Changes a switch, and its pipeline if the program is another one now.
    ///
    /// # Errors
    /// The switch cannot be read; nothing has changed.
    pub(crate) fn change(mut self, running: Side<'_>, now: Nanos) -> Result<Reloaded, String> {
        let runs = Runs::of(running.switch);
        let mut reloaded = Reloaded { is_replaced: runs != Runs::of(&self.after), ..Reloaded::default() };
        if runs != self.before {
            // A controller's program began without the files' entries.
            self.base = beginning(&self.after)?;
            self.outdated = Carried::default();
        }
        if reloaded.is_replaced {
            let mut fresh = beginning(running.switch)?;
            let mut next = beginning(&self.after)?;
            let mut pipeline = Pipeline::of_switch(&next, &self.translations)?;
            let old = Side { pipeline: &mut *running.pipeline, switch: &mut *running.switch };
            let new = Side { pipeline: &mut pipeline, switch: &mut next };
            reloaded.kept = carry_over(old, &mut fresh, new, now)?;
            reloaded.kept.forget_lost(&self.outdated);
            next.take_place_of(running.switch, now);
            *running.pipeline = pipeline;
        }
        let files = Side { pipeline: &mut self.pipeline, switch: &mut self.after };
        reloaded.changed = carry_over(files, &mut self.base, running, now)?;
        Ok(reloaded)
    }
}

/// What runs a switch's program. Switches that have one in common run the same program.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Runs(usize);

impl Runs {
    fn of(switch: &Switch) -> Self {
        Self(Arc::as_ptr(switch.executor()).cast::<()>().addr())
    }
}

/// A switch like this one, without anything that was written into it.
fn beginning(switch: &Switch) -> Result<Switch, String> {
    let executor = Arc::clone(switch.executor());
    Switch::new(executor, switch.config().clone()).map_err(|error| error.to_string())
}
