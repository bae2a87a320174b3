//! Reloads a switch's files: the program and the initial entries are read again while packets pass.
//!
//! A reload has two steps, and both follow the rule of `RECONCILE_AND_COMMIT`. If the program has
//! changed, the whole state of the switch moves into a switch that runs the new program. Then state
//! that is new in the files is written, and state that is no longer in the files is deleted.
//! Therefore controllers' changes stay, except where the files themselves have changed.

use std::sync::Arc;

use weir_device::Nanos;
use weir_switch::Switch;

use crate::pipeline::{Pipeline, Translations};
use crate::reconcile::{Carried, Side, carry_over};

/// The contents of a switch's files, as switches without packets that contain the program and the
/// entries of the files.
pub struct Files {
    /// A switch with the contents of the files before the change. It has the executor of the
    /// running switch, unless a controller has sent a program since.
    pub before: Switch,
    /// A switch with the current contents of the files. It has the executor of `before` if the
    /// program is the same.
    pub after: Switch,
}

/// The result of a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Whether the program has changed. In this case, the packets inside the switch were lost.
    pub is_replaced: bool,
    /// The state of the old switch that the new switch has taken over, and the state that it cannot
    /// hold. Empty if the program is the same.
    pub kept: Carried,
    /// The state that is new in the files or no longer in them.
    pub changed: Carried,
}

/// A reload that is ready to be applied.
pub struct Reload {
    /// A switch with the current contents of the files.
    after: Switch,
    /// The pipeline of `after`'s program.
    pipeline: Pipeline,
    /// A switch that runs the new program, with the files' old entries as far as they fit.
    base: Switch,
    /// The old entries that do not fit. They are not reported as lost, because the change of the
    /// files explains it.
    outdated: Carried,
    /// The executor of the files' old program.
    before: RunningExecutor,
    translations: Translations,
}

impl Reload {
    /// Prepares a reload, as far as possible without access to the running switch.
    ///
    /// # Errors
    /// A program has no P4Info.
    pub fn new(files: Files, translations: Translations) -> Result<Self, String> {
        let Files { mut before, after } = files;
        let pipeline = Pipeline::of_switch(&after, &translations)?;
        let runs = RunningExecutor::from_switch(&before);
        let (base, outdated) = if runs == RunningExecutor::from_switch(&after) {
            (before, Carried::default())
        } else {
            let (mut fresh, mut base) = (beginning(&before)?, beginning(&after)?);
            let old =
                Side { pipeline: &mut Pipeline::of_switch(&before, &translations)?, switch: &mut before };
            let new = Side { pipeline: &mut Pipeline::of_switch(&base, &translations)?, switch: &mut base };
            let outdated = carry_over(old, &mut fresh, new, 0)?;
            base.compile_ahead();
            (base, outdated)
        };
        Ok(Self { after, pipeline, base, outdated, before: runs, translations })
    }

    /// Applies the reload to a switch that has no controllers.
    ///
    /// # Errors
    /// The switch's program has no P4Info. Nothing has changed.
    pub fn apply(self, switch: &mut Switch, now: Nanos) -> Result<Reloaded, String> {
        let mut pipeline = Pipeline::of_switch(switch, &self.translations)?;
        self.change(Side { pipeline: &mut pipeline, switch }, now)
    }

    /// Applies the reload to a switch, and to its pipeline if the program has changed.
    ///
    /// # Errors
    /// The state of the switch cannot be read. Nothing has changed.
    pub(crate) fn change(mut self, running: Side<'_>, now: Nanos) -> Result<Reloaded, String> {
        let runs = RunningExecutor::from_switch(running.switch);
        let mut reloaded = Reloaded {
            is_replaced: runs != RunningExecutor::from_switch(&self.after),
            ..Reloaded::default()
        };
        if runs != self.before {
            // If a controller sent the program, the switch started without the entries of the
            // files.
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

/// The executor of a switch's program. Switches with the same executor run the same program.
#[derive(Clone, Copy, PartialEq, Eq)]
struct RunningExecutor(usize);

impl RunningExecutor {
    fn from_switch(switch: &Switch) -> Self {
        Self(Arc::as_ptr(switch.executor()).cast::<()>().addr())
    }
}

/// Creates a switch with the same program and settings, in its initial state.
fn beginning(switch: &Switch) -> Result<Switch, String> {
    let executor = Arc::clone(switch.executor());
    Switch::new(executor, switch.config().clone()).map_err(|error| error.to_string())
}
