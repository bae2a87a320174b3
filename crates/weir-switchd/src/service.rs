//! Starts the switches, runs them, and stops them.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use weir_p4runtime::SharedThreads;

use crate::args::{Args, Find, Interface};
use crate::bfrt;
use crate::config;
use crate::instance::Instance;
use crate::memory::{self, CompilerMemory, FreedMemory};
use crate::metrics;
use crate::p4runtime::{self, Serving};
use crate::plane::{Plane, Waiting, WorkerSpec, Workers};
use crate::program::Compiled;
use crate::reload::{reload, reload_servers};
use crate::together::check_together;

/// Runs switches until SIGINT or SIGTERM. `args` were parsed from `command_line`, and `find` finds
/// the switches' programs. When the switches forward, calls `started` with the first switch and its
/// interfaces. `give_back` returns the freed memory of the thread that calls it to the system.
///
/// # Errors
/// The switches cannot start, `started` fails, a switch has failed, or a worker has ended; the
/// error says why.
pub fn serve(
    args: &Args,
    command_line: &[OsString],
    find: Find<'_>,
    started: impl FnOnce(&Arc<Plane>, &[Interface]) -> Result<(), String>,
    give_back: fn(),
) -> Result<(), String> {
    memory::share_freed_memory();
    memory::use_small_pages();
    let switches = match &args.config {
        Some(file) if args.program.is_none() && args.interface.is_empty() => {
            config::switches(file, command_line, find)?
        }
        Some(_) => {
            return Err("the file of --config has the programs and interfaces; leave others out".to_owned());
        }
        None => {
            let program = args.program.as_deref().map(find).transpose()?;
            vec![Args { program, ..args.clone() }]
        }
    };
    check_together(&switches)?;
    let mut compiled = Compiled::default();
    let instances = switches.into_iter().map(|args| {
        let name = args.name.clone();
        Instance::new(args, &mut compiled).map_err(|why| match name {
            Some(name) => format!("{name}: {why}"),
            None => why,
        })
    });
    let instances = instances.collect::<Result<Vec<_>, _>>()?;
    drop(compiled);
    let specs = open_workers(args, &instances)?;
    let runtime = runtime(&instances).map_err(|error| error.to_string())?;
    let turns = Arc::new(Semaphore::new(calls(&instances)));
    let threads = SharedThreads { runtime: runtime.handle().clone(), calls: turns };
    let compiler = CompilerMemory::default();
    let serving = Arc::new(p4runtime::start(&instances, &threads, &compiler)?);
    let bfrt_servers = bfrt::start(&instances, &threads, &compiler)?;
    let servers: Vec<_> = serving.iter().map(|serving| Arc::clone(&serving.server)).collect();
    let waiting = if args.poll { Waiting::Polling } else { Waiting::Blocking };
    let workers = Workers::start(specs, waiting).map_err(|error| error.to_string())?;
    for instance in &instances {
        for interface in &instance.args.interface {
            let switch = &instance.args.name;
            tracing::info!(switch, port = interface.port, interface = interface.name, "forwarding");
        }
    }
    let planes: Vec<_> = instances.iter().map(|instance| Arc::clone(&instance.plane)).collect();
    let interfaces = instances[0].args.interface.clone();
    let instances = Arc::new(Mutex::new(instances));
    let ended = runtime.block_on(async {
        started(&planes[0], &interfaces)?;
        if let Some(address) = args.metrics {
            let listener = metrics::listen(address).await?;
            metrics::serve(listener, planes.clone(), Arc::clone(&workers.times), &servers);
        }
        let returns = (&compiler, FreedMemory::new(give_back));
        wait(args, (&instances, &serving), &planes, &workers, returns).await
    });
    let _no_supervisor = sd_notify::notify(&[NotifyState::Stopping]);
    drop(serving);
    // A reload that still compiles holds the instances, so this does not use them.
    p4runtime::stop(servers, &planes);
    bfrt::stop(bfrt_servers, &planes);
    planes.iter().for_each(|plane| plane.stop());
    workers.join();
    runtime.shutdown_background();
    ended
}

/// Opens the ports of all switches, and distributes the workers over the threads.
fn open_workers(args: &Args, instances: &[Instance]) -> Result<Vec<Vec<WorkerSpec>>, String> {
    let workers: usize = instances.iter().map(|instance| usize::from(instance.args.workers)).sum();
    let most = instances.iter().map(|instance| usize::from(instance.args.workers)).max().unwrap_or(1);
    let processors = available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(processors.max(most), usize::from).min(workers);
    let mut dealt: Vec<Vec<WorkerSpec>> = (0..threads).map(|_| Vec::new()).collect();
    let mut next = 0;
    for instance in instances {
        for spec in instance.open_worker_ports()? {
            dealt[next].push(spec);
            next = (next + 1) % threads;
        }
    }
    Ok(dealt)
}

/// Returns the runtime that runs servers and waits for signals. Without
/// controllers, it needs no additional threads.
///
/// A controller's call either waits for a switch, which one call at a time can use, or compiles a
/// program, which one call at a time can do for each switch. So these calls need one thread for
/// each switch and one more. More threads would not be faster, and each thread keeps memory that it
/// has freed: up to 240 KB. Two other threads, for `/metrics` and for a reload, do not wait for the
/// calls of controllers. A thread for calls that has nothing to do ends soon, and returns its
/// memory.
fn runtime(instances: &[Instance]) -> std::io::Result<Runtime> {
    let serves = |args: &Args| args.p4runtime.is_some() || args.bfrt.is_some();
    let serves = instances.iter().any(|instance| serves(&instance.args));
    let mut builder = match serves {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    builder
        .worker_threads(2)
        .max_blocking_threads(calls(instances) + 2)
        .thread_keep_alive(IDLE_THREAD_TIMEOUT)
        .thread_name("server")
        .enable_all()
        .build()
}

/// Returns the maximum number of controllers' calls that can occupy a thread at the same time.
fn calls(instances: &[Instance]) -> usize {
    instances.len() + 1
}

/// The time after which a thread for calls ends that has nothing to do.
const IDLE_THREAD_TIMEOUT: Duration = Duration::from_secs(2);

/// The interval at which the service checks that its workers are alive.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Waits for a signal to exit, for the failure of a switch, or for the unexpected end of a worker.
/// Other signals ask for a reload.
async fn wait(
    args: &Args,
    (instances, serving): (&Arc<Mutex<Vec<Instance>>>, &Arc<Vec<Serving>>),
    planes: &[Arc<Plane>],
    workers: &Workers,
    (compiler, mut freed): (&CompilerMemory, FreedMemory),
) -> Result<(), String> {
    let listen = |kind| signal(kind).map_err(|error| error.to_string());
    let (mut interrupted, mut terminated, mut hung_up) =
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?);
    memory::return_code_pages();
    tracing::info!("ready");
    let _no_supervisor = sd_notify::notify(&[NotifyState::Ready]);
    let mut reloading = None;
    loop {
        tokio::select! {
            _ = interrupted.recv() => return Ok(()),
            _ = terminated.recv() => return Ok(()),
            // Only one reload runs at a time. All signals that arrive during a reload cause one
            // more reload.
            _ = hung_up.recv(), if reloading.is_none() => {
                if args.end_at_hangup {
                    return Ok(());
                }
                let (instances, serving, compiler) = (Arc::clone(instances), Arc::clone(serving), compiler.clone());
                reloading = Some(tokio::task::spawn_blocking(move || {
                    announce_reload();
                    compiler.note_compilation();
                    let servers = reload_servers(&serving);
                    // A slow reload must not keep servers from stopping.
                    drop(serving);
                    reload(&mut instances.lock().unwrap_or_else(PoisonError::into_inner)) && servers
                }));
            }
            () = tokio::time::sleep(CHECK_INTERVAL) => {}
        }
        if let Some(ended) = reloading.take_if(|reloading| reloading.is_finished()) {
            let status = match ended.await {
                Ok(true) => "reloaded",
                Ok(false) => "the last reload failed; see the log",
                Err(panic) => return Err(format!("the reload has failed: {panic}")),
            };
            let _no_supervisor = sd_notify::notify(&[NotifyState::Ready, NotifyState::Status(status)]);
        }
        check_health(planes, workers)?;
        compiler.return_if_due();
        freed.note(serving.iter().map(|serving| serving.server.memory()).sum()).await;
        let _no_supervisor = sd_notify::notify(&[NotifyState::Watchdog]);
    }
}

/// Checks that switches and workers have not failed.
///
/// # Errors
/// A switch has failed, or a worker has ended.
fn check_health(planes: &[Arc<Plane>], workers: &Workers) -> Result<(), String> {
    // The workers of a failed switch end.
    let ended = workers.ended.try_recv().ok();
    let failed = planes.iter().find_map(|plane| Some((plane.name.as_deref(), plane.failure()?)));
    match (failed, ended) {
        (Some((Some(name), why)), _) => Err(format!("{name} has failed: {why}")),
        (Some((None, why)), _) => Err(format!("the switch has failed: {why}")),
        (None, Some(Ok(()))) => Err("a worker has stopped: it ended by itself".to_owned()),
        (None, Some(Err(why))) => Err(format!("a worker has stopped: {why}")),
        (None, None) => Ok(()),
    }
}

/// Announces that the files are being read again, as systemd's `Type=notify-reload` expects.
fn announce_reload() {
    tracing::info!("reloading the files");
    let since = NotifyState::monotonic_usec_now().into_iter();
    let states: Vec<_> = std::iter::once(NotifyState::Reloading).chain(since).collect();
    let _no_supervisor = sd_notify::notify(&states);
}
