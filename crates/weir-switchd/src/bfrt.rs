//! Serves BfRt for the switches of the service. Each address has one server, for all switches that
//! share the address.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_bfrt::{Server, ServerConfig, SharedThreads, SwitchOwner, Unavailable};
use weir_device::Nanos;
use weir_p4runtime::{Folders, compile_program};
use weir_switch::{Switch, SwitchConfig};

use crate::args::Executor;
use crate::instance::Instance;
use crate::memory::CompilerMemory;
use crate::p4runtime::tls;
use crate::plane::Plane;
use crate::program;

/// A switch between interfaces, as the BfRt server uses it.
struct Owner {
    plane: Arc<Plane>,
    program: String,
    /// The folders with files that clients' programs may include.
    include: Folders,
    executor: Executor,
    compiler: CompilerMemory,
    /// Whether clients of P4Runtime control the switch, too, and send its programs.
    has_p4runtime: bool,
}

impl SwitchOwner for Owner {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable> {
        self.plane.try_with_switch(act).ok_or(Unavailable)
    }

    fn program_name(&self) -> String {
        self.program.clone()
    }

    fn make_switch(&self, bytes: &[u8], settings: SwitchConfig) -> Result<Switch, String> {
        if self.has_p4runtime {
            return Err("clients of P4Runtime send the programs of this switch (--p4runtime)".to_owned());
        }
        let program = compile_program("profile.binary", bytes, &self.include)?
            .ok_or("profile.binary has no program")?;
        self.compiler.note_compilation();
        let (executor, refusal) = program::executor(program, self.executor)?;
        if let Some(why) = refusal {
            tracing::warn!(switch = self.plane.name, "the interpreter runs a client's program: {why}");
        }
        let mut switch = Switch::new(executor, settings).map_err(|error| error.to_string())?;
        // Otherwise, frames would wait for machine code, up to a second for large programs.
        switch.compile_ahead();
        Ok(switch)
    }

    fn log(&self, line: &str) {
        tracing::info!(switch = self.plane.name, "{line}");
    }
}

/// Starts the servers that the switches' options request. If switches share an address, the options
/// of the first one determine TLS. `compiler` is notified of programs that clients send.
///
/// # Errors
/// An address is invalid, or the server cannot listen on it.
pub fn start(
    instances: &[Instance],
    threads: &SharedThreads,
    compiler: &CompilerMemory,
) -> Result<Vec<Arc<Server>>, String> {
    let mut by_address: BTreeMap<&str, Vec<&Instance>> = BTreeMap::new();
    for instance in instances {
        if let Some(address) = &instance.args.bfrt {
            by_address.entry(address).or_default().push(instance);
        }
    }
    let mut servers = Vec::new();
    for (address, instances) in by_address {
        let owners = instances.iter().map(|instance| {
            let program = instance.args.program.as_deref().and_then(|path| path.file_stem());
            let program = program.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let owner: Arc<dyn SwitchOwner> = Arc::new(Owner {
                plane: Arc::clone(&instance.plane),
                program,
                include: Folders(instance.args.include.clone()),
                executor: instance.args.executor,
                compiler: compiler.clone(),
                has_p4runtime: instance.args.p4runtime.is_some(),
            });
            let number = instance.args.device_id();
            let number = u32::try_from(number)
                .map_err(|_| format!("--device-id {number}: numbers of BfRt's devices have 32 bits"))?;
            Ok((number, owner))
        });
        let owners = owners.collect::<Result<Vec<_>, String>>()?;
        let args = &instances[0].args;
        let mut config = ServerConfig {
            listen: vec![address.parse()?],
            tls: tls(args)?,
            plaintext_beyond_loopback: args.plaintext,
            threads: Some(threads.clone()),
            ..ServerConfig::default()
        };
        config.limits.memory = (args.p4runtime_memory as usize) << 20;
        let server = Arc::new(Server::start(&config, owners).map_err(|error| error.to_string())?);
        for instance in &instances {
            for address in server.addresses() {
                let (switch, device) = (&instance.args.name, instance.args.device_id);
                tracing::info!(switch, %address, device, "serving BfRt");
            }
            instance.plane.serve_bfrt(Arc::clone(&server));
        }
        servers.push(server);
    }
    Ok(servers)
}

/// Stops servers, and tells their clients.
pub fn stop(servers: Vec<Arc<Server>>, planes: &[Arc<Plane>]) {
    servers.iter().for_each(|server| server.begin_to_stop());
    planes.iter().for_each(|plane| plane.stop_serving_bfrt());
    drop(servers);
}
