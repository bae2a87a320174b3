//! Serves P4Runtime for the switches of the service. Each address has one server, for all switches
//! that share the address.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use weir_p4runtime::{Folders, Permissions, Server, ServerConfig, SharedThreads, SwitchOwner, TlsConfig};

use crate::args::Args;
use crate::control::Owner;
use crate::files::{self, Guarded};
use crate::instance::Instance;
use crate::memory::CompilerMemory;
use crate::plane::Plane;
use crate::program;

/// A server, with the options that determine its certificates and roles.
pub struct Serving {
    /// The server.
    pub server: Arc<Server>,
    args: Args,
    /// The numbers of the server's devices.
    devices: Vec<u64>,
}

impl Serving {
    /// Reads the certificates and the file of roles again. If one of them has a mistake, the server
    /// continues with the earlier one. Returns the names of the replaced settings, and the
    /// mistakes.
    pub fn read_again(&self) -> (Vec<&'static str>, Vec<String>) {
        let again = |paths: &[&Option<PathBuf>]| {
            paths.iter().copied().flatten().try_for_each(|path| files::check_readable_again(path))
        };
        let Args { tls_certificate, tls_key, tls_clients, p4runtime_roles, .. } = &self.args;
        let certificates =
            again(&[tls_certificate, tls_key, tls_clients]).and_then(|()| tls(&self.args)).and_then(|tls| {
                let replace = |tls| self.server.replace_certificates(&tls).map_err(|error| error.to_string());
                tls.map(replace).transpose()
            });
        let roles =
            again(&[p4runtime_roles]).and_then(|()| permissions(&self.args, &self.devices)).and_then(|new| {
                let replace = |new| self.server.replace_permissions(new).map_err(|error| error.to_string());
                new.map(replace).transpose()
            });
        let (mut replaced, mut mistakes) = (Vec::new(), Vec::new());
        for (what, outcome) in [("certificates", certificates), ("roles", roles)] {
            match outcome {
                Ok(done) => replaced.extend(done.map(|()| what)),
                Err(why) => mistakes.push(format!(
                    "the {what} are not reloaded, and the server continues with the earlier ones: {why}"
                )),
            }
        }
        (replaced, mistakes)
    }

    /// Returns the address that the user gave.
    pub fn address(&self) -> &str {
        self.args.p4runtime.as_deref().unwrap_or_default()
    }
}

/// Starts the servers that the switches' options request. If switches share an address, the options
/// of the first one determine TLS. `compiler` is notified of programs that controllers send.
///
/// # Errors
/// An address is invalid, or the server cannot listen on it.
pub fn start(
    instances: &[Instance],
    threads: &SharedThreads,
    compiler: &CompilerMemory,
) -> Result<Vec<Serving>, String> {
    let mut by_address: BTreeMap<&str, Vec<&Instance>> = BTreeMap::new();
    for instance in instances {
        if let Some(address) = &instance.args.p4runtime {
            by_address.entry(address).or_default().push(instance);
        }
    }
    let mut servers = Vec::new();
    for (address, instances) in by_address {
        let owners = instances.iter().map(|instance| {
            let owner: Arc<dyn SwitchOwner> = Arc::new(Owner(Arc::clone(&instance.plane)));
            (instance.args.device_id(), owner)
        });
        let devices: Vec<u64> = instances.iter().map(|instance| instance.args.device_id()).collect();
        let mut config = config(&instances[0].args, &devices, address, compiler)?;
        config.threads = Some(threads.clone());
        let server = Server::start(config, owners.collect()).map_err(|error| error.to_string())?;
        let server = Arc::new(server);
        for instance in &instances {
            for address in server.addresses() {
                let (switch, device) = (&instance.args.name, instance.args.device_id);
                tracing::info!(switch, %address, device, "serving P4Runtime");
            }
            instance.plane.serve(Arc::clone(&server));
        }
        servers.push(Serving { server, args: instances[0].args.clone(), devices });
    }
    Ok(servers)
}

/// Stops servers, and tells their controllers.
pub fn stop(servers: Vec<Arc<Server>>, planes: &[Arc<Plane>]) {
    servers.iter().for_each(|server| server.begin_to_stop());
    planes.iter().for_each(|plane| plane.stop_serving());
    drop(servers);
}

fn config(
    args: &Args,
    devices: &[u64],
    address: &str,
    compiler: &CompilerMemory,
) -> Result<ServerConfig, String> {
    let choice = args.executor;
    let (compiler, at) = (compiler.clone(), address.to_owned());
    let make = move |program| {
        compiler.note_compilation();
        let (executor, refusal) = program::executor(program, choice)?;
        if let Some(why) = refusal {
            tracing::warn!(p4runtime = at, "the interpreter runs a controller's program: {why}");
        }
        Ok(executor)
    };
    let mut config = ServerConfig::new(make, Folders(args.include.clone()));
    config.listen = vec![address.parse()?];
    config.plaintext_beyond_loopback = args.plaintext;
    config.limits.memory = (args.p4runtime_memory as usize) << 20;
    (config.tls, config.permissions) = (tls(args)?, permissions(args, devices)?);
    Ok(config)
}

/// Returns the certificates in the files that the options name.
///
/// # Errors
/// A file cannot be read.
pub fn tls(args: &Args) -> Result<Option<TlsConfig>, String> {
    let (Some(certificate), Some(key)) = (&args.tls_certificate, &args.tls_key) else { return Ok(None) };
    let read = |path: &PathBuf| files::read_guarded(path, Guarded::Trusted).map(String::into_bytes);
    let client_authority = args.tls_clients.as_ref().map(read).transpose()?;
    let (certificate, key) = (read(certificate)?, files::read_guarded(key, Guarded::Key)?.into_bytes());
    Ok(Some(TlsConfig { certificate, key, client_authority }))
}

/// Returns the file of roles. Logs devices in the file that the server does not have.
fn permissions(args: &Args, devices: &[u64]) -> Result<Option<Permissions>, String> {
    let Some(path) = &args.p4runtime_roles else { return Ok(None) };
    let text = files::read_guarded(path, Guarded::Trusted)?;
    let read = Permissions::read(&path.display().to_string(), &text);
    let read = read.map_err(|mistakes| mistakes.to_string())?;
    for warning in read.warnings(devices) {
        tracing::warn!("{warning}");
    }
    Ok(Some(read))
}
