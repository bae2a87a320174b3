//! Verifies, saves and commits the program of a switch (specification,
//! "`SetForwardingPipelineConfig` RPC").

use std::sync::Arc;

use prost::Message;
use tonic::Status;
use weir_device::Nanos;
use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_switch::Switch;

use super::{Device, ProgramTurn, locked};
use crate::device_config::{self, ProgramFiles};
use crate::digest_lists::DigestLists;
use crate::pipeline::{Pipeline, Translations, p4info_of};
use crate::proto::v1::ForwardingPipelineConfig as Config;
use crate::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use crate::proto::v1::set_forwarding_pipeline_config_request::Action;
use crate::reconcile::{Side, reconcile};
use crate::reload::{Reload, Reloaded};

/// A function that makes an executor for a program, or returns the reason why it cannot.
pub type MakeExecutor = dyn Fn(ValidProgram) -> Result<Arc<dyn Executor>, String> + Send + Sync;

/// The functions and files that a server needs to run programs.
pub struct Tools {
    /// Makes the executors for programs.
    pub executor: Box<MakeExecutor>,
    /// The files that programs may use.
    pub files: Box<dyn ProgramFiles>,
}

/// The running and the saved program of a switch.
#[derive(Default)]
pub(super) struct Programs {
    /// The running program, if a controller sent it.
    committed: Option<Program>,
    /// The saved program, which has not been committed, with a switch without packets. The tables
    /// of this switch contain what controllers have written since the program was saved.
    saved: Option<(Program, Box<Switch>)>,
    /// The digest lists of the running program.
    pub digests: DigestLists,
}

/// A checked request to change the program, ready to be carried out.
pub struct ProgramChange {
    action: Action,
    /// The new program, in a switch without packets; `None` if the saved program is committed.
    prepared: Option<(Program, Switch)>,
}

/// A program that a controller sent.
pub(super) struct Program {
    config: Config,
    /// The P4Info, matched with the program.
    pub pipeline: Pipeline,
}

impl Programs {
    /// Returns the running program.
    pub fn running(&self) -> Option<&Program> {
        self.committed.as_ref()
    }

    /// Returns the running program and its digest lists.
    pub fn running_with_digests(&mut self, switch: &Switch) -> Option<(&Program, &mut DigestLists)> {
        let program = self.committed.as_mut()?;
        program.pipeline.follow(switch);
        Some((program, &mut self.digests))
    }

    /// Returns the program that controllers read and write, with its switch: the saved program with
    /// the switch that waits for it, or otherwise the running program.
    pub fn controlled<'p>(
        &'p mut self,
        running: &'p mut Switch,
    ) -> Option<(&'p mut Pipeline, &'p mut Switch)> {
        let (pipeline, switch) = match &mut self.saved {
            Some((program, switch)) => (&mut program.pipeline, &mut **switch),
            None => (&mut self.committed.as_mut()?.pipeline, running),
        };
        pipeline.follow(switch);
        Some((pipeline, switch))
    }
}

/// Returns the error that tells controllers to send a program first.
pub(super) fn no_program() -> Status {
    Status::failed_precondition(
        "the device has no program from a controller yet; send one with SetForwardingPipelineConfig",
    )
}

impl Device {
    /// Checks a request to change the program, and compiles the program. This can take seconds, so
    /// the caller does not hold a [`WritePermit`](super::WritePermit), and another controller can
    /// become primary meanwhile.
    ///
    /// # Errors
    /// The request failed for a reason that the specification lists; the switch is unchanged.
    pub fn prepare_program(
        &self,
        _turn: &ProgramTurn,
        tools: &Tools,
        action: Action,
        config: Option<Config>,
    ) -> Result<ProgramChange, Status> {
        let config = match (action, config) {
            (Action::Unspecified, _) => {
                return Err(Status::invalid_argument(
                    "there is no such action: expected VERIFY, VERIFY_AND_SAVE, VERIFY_AND_COMMIT, COMMIT or \
                     RECONCILE_AND_COMMIT",
                ));
            }
            (Action::Commit, None) => return Ok(ProgramChange { action, prepared: None }),
            (Action::Commit, Some(_)) => {
                return Err(Status::invalid_argument("COMMIT starts the saved program; leave `config` out"));
            }
            (_, Some(config)) => config,
            (action, None) => {
                let message = format!("{} needs `config`, with the program", action.as_str_name());
                return Err(Status::invalid_argument(message));
            }
        };
        Ok(ProgramChange { action, prepared: Some(self.prepare(tools, config)?) })
    }

    /// Saves or starts a prepared program.
    ///
    /// # Errors
    /// The action failed for a reason that the specification lists; the switch is unchanged.
    pub fn change_program(&self, _turn: &ProgramTurn, change: ProgramChange) -> Result<(), Status> {
        let Some((program, switch)) = change.prepared else { return self.commit_saved() };
        match change.action {
            Action::VerifyAndSave => {
                locked(&self.programs).saved = Some((program, Box::new(switch)));
                Ok(())
            }
            Action::VerifyAndCommit => self.commit(program, switch),
            Action::ReconcileAndCommit => self.reconcile(program, switch),
            Action::Verify | Action::Commit | Action::Unspecified => Ok(()),
        }
    }

    fn translations(&self) -> Translations {
        Translations { cpu: self.owner.cpu_port(), texts: self.owner.texts() }
    }

    /// Creates a switch that runs a program and holds no packets. An omitted P4Info is made from
    /// the program.
    fn prepare(&self, tools: &Tools, mut config: Config) -> Result<(Program, Switch), Status> {
        let (settings, running) = self.with_switch(|switch, _| {
            (switch.config().clone(), switch.has_program().then(|| Arc::clone(switch.executor())))
        })?;
        let program = device_config::compile(device_config::FIELD, &config.p4_device_config, &*tools.files);
        let executor = match program.map_err(|error| refused_status(&error))? {
            Some(program) => (tools.executor)(program).map_err(|error| refused_status(&error))?,
            None => running.ok_or_else(|| {
                refused_status(
                    "p4_device_config is empty, and no program runs yet: send the text of the P4 program",
                )
            })?,
        };
        let info = match config.p4info.take() {
            Some(info) => info,
            None => p4info_of(executor.program()).map_err(|error| refused_status(&error))?,
        };
        let mut switch =
            Switch::new(executor, settings).map_err(|error| refused_status(&error.to_string()))?;
        weir_control::check_ports(&switch).map_err(|error| refused_status(&error))?;
        let mut pipeline = Pipeline::new(info, switch.program(), switch.schema())
            .map_err(|error| refused_status(&error.to_string()))?;
        pipeline.set_translations(&self.translations());
        self.owner.prepare(&mut switch);
        Ok((Program { config, pipeline }, switch))
    }

    /// Shows controllers the program that the switch already runs, with the contents of its tables.
    ///
    /// # Errors
    /// The program has no P4Info, or the network with the switch was closed.
    pub fn adopt(&self) -> Result<(), Status> {
        let adopted = self.with_switch(|switch, _| {
            let pipeline = Pipeline::of_switch(switch, &self.translations());
            Ok::<_, Status>(Program {
                config: config_of(switch),
                pipeline: pipeline.map_err(|error| refused_status(&error))?,
            })
        })??;
        locked(&self.programs).committed = Some(adopted);
        Ok(())
    }

    /// Reloads the files of the switch's owner.
    ///
    /// # Errors
    /// The state of the switch cannot be read; nothing has changed.
    pub fn reload(&self, reload: Reload, switch: &mut Switch, now: Nanos) -> Result<Reloaded, String> {
        self.deliver_from(switch, now);
        let mut programs = locked(&self.programs);
        let Some(running) = &mut programs.committed else { return reload.apply(switch, now) };
        running.pipeline.follow(switch);
        let reloaded = reload.change(Side { pipeline: &mut running.pipeline, switch }, now)?;
        if reloaded.is_replaced {
            running.config = config_of(switch);
            programs.digests = DigestLists::default();
        }
        Ok(reloaded)
    }

    fn commit(&self, program: Program, switch: Switch) -> Result<(), Status> {
        self.with_switch(|old, now| {
            self.deliver_from(old, now);
            let mut programs = locked(&self.programs);
            switch.take_place_of(old, now);
            *programs = Programs { committed: Some(program), ..Programs::default() };
        })
    }

    /// Commits a program, and keeps the state of the switch.
    fn reconcile(&self, mut program: Program, mut switch: Switch) -> Result<(), Status> {
        self.with_switch(|old, now| {
            self.deliver_from(old, now);
            let mut programs = locked(&self.programs);
            if let Some(running) = &mut programs.committed {
                running.pipeline.follow(old);
                let mut fresh = Switch::new(Arc::clone(old.executor()), old.config().clone())
                    .map_err(|error| Status::internal(error.to_string()))?;
                let before = Side { pipeline: &mut running.pipeline, switch: old };
                let after = Side { pipeline: &mut program.pipeline, switch: &mut switch };
                reconcile(before, &mut fresh, after, now).map_err(|error| refused_status(&error))?;
            }
            switch.take_place_of(old, now);
            *programs = Programs { committed: Some(program), ..Programs::default() };
            Ok(())
        })?
    }

    fn commit_saved(&self) -> Result<(), Status> {
        self.with_switch(|old, now| {
            self.deliver_from(old, now);
            let mut programs = locked(&self.programs);
            let Some((program, switch)) = programs.saved.take() else {
                return Err(Status::not_found("no program is saved; save one with VERIFY_AND_SAVE"));
            };
            switch.take_place_of(old, now);
            *programs = Programs { committed: Some(program), ..Programs::default() };
            Ok(())
        })?
    }

    /// Returns the approximate number of bytes that [`Device::program`] takes on the wire.
    pub fn program_bytes(&self, parts: ResponseType) -> usize {
        let programs = locked(&self.programs);
        let program = programs.saved.as_ref().map(|(saved, _)| saved).or(programs.committed.as_ref());
        let Some(Program { config, pipeline }) = program else { return 0 };
        let (info, device) = wanted(parts);
        let info = if info { pipeline.p4info().encoded_len() } else { 0 };
        info + if device { config.p4_device_config.len() } else { 0 }
    }

    /// Returns the program that controllers read and write: the saved program, or otherwise the
    /// running program. Returns `None` if no controller has sent one.
    pub fn program(&self, parts: ResponseType) -> Option<Config> {
        let programs = locked(&self.programs);
        let program = programs.saved.as_ref().map(|(saved, _)| saved).or(programs.committed.as_ref())?;
        let Program { config, pipeline } = program;
        let (info, device) = wanted(parts);
        Some(Config {
            p4info: info.then(|| pipeline.p4info().clone()),
            p4_device_config: if device { config.p4_device_config.clone() } else { Vec::new() },
            cookie: config.cookie,
        })
    }
}

/// Returns whether a client requests the P4Info, and whether it requests the program.
fn wanted(parts: ResponseType) -> (bool, bool) {
    match parts {
        ResponseType::All => (true, true),
        ResponseType::CookieOnly => (false, false),
        ResponseType::P4infoAndCookie => (true, false),
        ResponseType::DeviceConfigAndCookie => (false, true),
    }
}

/// Returns the program of a switch, as controllers read it.
fn config_of(switch: &Switch) -> Config {
    Config { p4_device_config: weir_ir::text::print(switch.program()).into_bytes(), ..Config::default() }
}

/// The maximum length of a status message in bytes. Clients refuse statuses of more than 8 KiB, and
/// a byte may take three on the wire.
const MAX_MESSAGE: usize = 2000;

/// Returns the status for a program that cannot run.
fn refused_status(why: &str) -> Status {
    let end = (0..=MAX_MESSAGE.min(why.len())).rev().find(|end| why.is_char_boundary(*end)).unwrap_or(0);
    let (shown, rest) = why.split_at(end);
    Status::invalid_argument(if rest.is_empty() { shown.to_owned() } else { format!("{shown} …") })
}
