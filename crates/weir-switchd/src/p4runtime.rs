//! Serves P4Runtime for the switches of the service. Each address has one server, for all switches
//! that share the address.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use weir_p4runtime::{Folders, Permissions, Server, ServerConfig, SharedThreads, SwitchOwner, TlsConfig};

use crate::args::Args;
use crate::control::Owner;
use crate::files;
use crate::instance::Instance;
use crate::memory::CompilerMemory;
use crate::program;

/// Starts the servers that the switches' options request. If switches share an address, the options
/// of the first one determine TLS. `compiler` is notified of programs that controllers send.
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
        let mut config = config(&instances[0].args, address, compiler)?;
        config.threads = Some(threads.clone());
        let server = Server::start(config, owners.collect()).map_err(|error| error.to_string())?;
        let server = Arc::new(server);
        for instance in instances {
            for address in server.addresses() {
                let (switch, device) = (&instance.args.name, instance.args.device_id);
                tracing::info!(switch, %address, device, "serving P4Runtime");
            }
            instance.plane.serve(Arc::clone(&server));
        }
        servers.push(server);
    }
    Ok(servers)
}

/// Stops servers, and tells their controllers.
pub fn stop(servers: Vec<Arc<Server>>, instances: &[Instance]) {
    servers.iter().for_each(|server| server.begin_to_stop());
    instances.iter().for_each(|instance| instance.plane.stop_serving());
    drop(servers);
}

fn config(args: &Args, address: &str, compiler: &CompilerMemory) -> Result<ServerConfig, String> {
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
    let read = |path: &PathBuf| files::read(path).map(String::into_bytes);
    if let (Some(certificate), Some(key)) = (&args.tls_certificate, &args.tls_key) {
        let client_authority = args.tls_clients.as_ref().map(read).transpose()?;
        let (certificate, key) = (read(certificate)?, files::read_key(key)?.into_bytes());
        config.tls = Some(TlsConfig { certificate, key, client_authority });
    }
    if let Some(path) = &args.p4runtime_roles {
        let permissions = Permissions::read(&path.display().to_string(), &files::read(path)?);
        config.permissions = Some(permissions.map_err(|mistakes| mistakes.to_string())?);
    }
    Ok(config)
}
