//! The program of a switch: verified, saved, committed (specification,
//! "`SetForwardingPipelineConfig` RPC").

use std::sync::Arc;

use tonic::Status;
use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_switch::Switch;

use super::{Device, locked};
use crate::device_config::{self, ProgramFiles};
use crate::p4info::p4info;
use crate::proto::v1::ForwardingPipelineConfig as Config;
use crate::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use crate::proto::v1::set_forwarding_pipeline_config_request::Action;

/// Makes an executor for a program, or says why it cannot.
pub type MakeExecutor = dyn Fn(ValidProgram) -> Result<Arc<dyn Executor>, String> + Send + Sync;

/// What makes programs run.
pub struct Tools {
    /// Makes their executors.
    pub executor: Box<MakeExecutor>,
    /// Files that programs may use.
    pub files: Box<dyn ProgramFiles>,
}

/// The programs of a switch.
#[derive(Default)]
pub(super) struct Programs {
    /// The one that runs, if a controller gave it.
    committed: Option<Program>,
    /// The one that waits to be committed, in a switch without packets: what controllers write until
    /// then is in its tables already.
    saved: Option<(Program, Box<Switch>)>,
}

/// A program as a controller gave it.
#[derive(Clone)]
struct Program {
    config: Arc<Config>,
}

impl Device {
    /// Checks, saves or starts a program.
    ///
    /// # Errors
    /// What the specification says for each action; nothing has changed.
    pub fn set_program(&self, tools: &Tools, action: Action, config: Option<Config>) -> Result<(), Status> {
        let _one_at_a_time = locked(&self.changing_program);
        let config = match (action, config) {
            (Action::Unspecified, _) => {
                return Err(Status::invalid_argument(
                    "there is no such action: expected VERIFY, VERIFY_AND_SAVE, VERIFY_AND_COMMIT, COMMIT or \
                     RECONCILE_AND_COMMIT",
                ));
            }
            (Action::Commit, None) => return self.commit_saved(),
            (Action::Commit, Some(_)) => {
                return Err(Status::invalid_argument("COMMIT starts the saved program; leave `config` out"));
            }
            (_, Some(config)) => config,
            (action, None) => {
                let message = format!("{} needs `config`, with the program", action.as_str_name());
                return Err(Status::invalid_argument(message));
            }
        };
        let (program, switch) = self.prepare(tools, config)?;
        match action {
            Action::VerifyAndSave => {
                locked(&self.programs).saved = Some((program, Box::new(switch)));
                Ok(())
            }
            Action::VerifyAndCommit => self.commit(program, switch),
            Action::ReconcileAndCommit => Err(Status::unimplemented("RECONCILE_AND_COMMIT")),
            Action::Verify | Action::Commit | Action::Unspecified => Ok(()),
        }
    }

    /// A switch that runs a program and holds no packets.
    /// A P4Info that is left out is made of the program.
    fn prepare(&self, tools: &Tools, mut config: Config) -> Result<(Program, Switch), Status> {
        let (settings, running) =
            self.with_switch(|switch, _| (switch.config().clone(), Arc::clone(switch.executor())))?;
        let program = device_config::compile(&config.p4_device_config, &*tools.files);
        let executor = match program.map_err(|error| refused(&error))? {
            Some(program) => (tools.executor)(program).map_err(|error| refused(&error))?,
            None => running,
        };
        if config.p4info.is_none() {
            let made = p4info(executor.program()).map_err(|errors| {
                let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                refused(&format!("the program has no P4Info: {}", errors.join("; ")))
            })?;
            config.p4info = Some(made);
        }
        let switch = Switch::new(executor, settings).map_err(|error| refused(&error.to_string()))?;
        Ok((Program { config: Arc::new(config) }, switch))
    }

    fn commit(&self, program: Program, switch: Switch) -> Result<(), Status> {
        self.with_switch(|old, now| {
            let mut programs = locked(&self.programs);
            switch.take_place_of(old, now);
            *programs = Programs { committed: Some(program), saved: None };
        })
    }

    fn commit_saved(&self) -> Result<(), Status> {
        self.with_switch(|old, now| {
            let mut programs = locked(&self.programs);
            let Some((program, switch)) = programs.saved.take() else {
                return Err(Status::not_found("no program is saved; save one with VERIFY_AND_SAVE"));
            };
            switch.take_place_of(old, now);
            programs.committed = Some(program);
            Ok(())
        })?
    }

    /// The program that controllers read and write: the one saved last, or else the one that runs.
    /// None if no controller has given one.
    pub fn program(&self, parts: ResponseType) -> Option<Config> {
        let programs = locked(&self.programs);
        let program = programs.saved.as_ref().map(|(saved, _)| saved).or(programs.committed.as_ref())?;
        let config = Arc::clone(&program.config);
        drop(programs);
        let (info, device) = match parts {
            ResponseType::All => (true, true),
            ResponseType::CookieOnly => (false, false),
            ResponseType::P4infoAndCookie => (true, false),
            ResponseType::DeviceConfigAndCookie => (false, true),
        };
        Some(Config {
            p4info: config.p4info.clone().filter(|_| info),
            p4_device_config: if device { config.p4_device_config.clone() } else { Vec::new() },
            cookie: config.cookie,
        })
    }
}

/// How many bytes of a message a status carries. Clients refuse statuses of more than 8 KiB, and
/// a byte may take three when it is sent.
const MAX_MESSAGE: usize = 2000;

/// A program that cannot run.
fn refused(why: &str) -> Status {
    let end = (0..=MAX_MESSAGE.min(why.len())).rev().find(|end| why.is_char_boundary(*end)).unwrap_or(0);
    let (shown, rest) = why.split_at(end);
    Status::invalid_argument(if rest.is_empty() { shown.to_owned() } else { format!("{shown} …") })
}
