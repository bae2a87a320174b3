//! A switch in memory that a server serves.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use weir_device::{Nanos, Port};
use weir_p4runtime::{Listen, ProgramFiles, Server, ServerConfig, SwitchOwner, Unavailable};
use weir_switch::Switch;
use weir_syntax::preprocess::{MemoryLoader, SourceLoader};

/// Owns a switch.
pub struct Owner {
    pub switch: Mutex<Switch>,
    /// The time for which the switch was lent, in nanoseconds.
    pub lent: AtomicU64,
}

impl SwitchOwner for Owner {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable> {
        let mut switch = self.switch.lock().expect("nobody panics");
        let (start, now) = (Instant::now(), switch.now());
        act(&mut switch, now);
        self.lent.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn receive(&self, _: Port, _: &[u8]) -> Result<(), Unavailable> {
        Ok(())
    }

    fn shows_program(&self) -> bool {
        true
    }

    fn cpu_port(&self) -> Option<Port> {
        None
    }

    fn warn(&self, _: &str) {}
}

/// Provides no files, because controllers send no programs here.
struct NoFiles;

impl ProgramFiles for NoFiles {
    fn loader(&self, _: &str, _: &str) -> Box<dyn SourceLoader> {
        Box::new(MemoryLoader::new())
    }
}

/// Serves a switch as device 1 at a free port.
pub fn serve(switch: Switch) -> (Arc<Owner>, Server, SocketAddr) {
    let owner = Arc::new(Owner { switch: Mutex::new(switch), lent: AtomicU64::new(0) });
    let mut config = ServerConfig::new(|_| Err("this switch has a program".to_owned()), NoFiles);
    config.listen = vec![Listen::Tcp(([127, 0, 0, 1], 0).into())];
    let device = Arc::clone(&owner) as Arc<dyn SwitchOwner>;
    let server = Server::start(config, vec![(1, device)]).expect("it starts");
    let [Listen::Tcp(address)] = server.addresses() else { unreachable!("it listens there") };
    let address = *address;
    (owner, server, address)
}
