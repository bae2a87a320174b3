//! Starts the links, runs them, and stops them.

use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rustix::event::{EventfdFlags, eventfd};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::args::Args;
use crate::event_loop::{self, Inputs};
use crate::links::Links;
use crate::priority::set_realtime_priority;
use crate::report;
use crate::watch::watch;

/// Runs links until SIGINT, SIGTERM, or the end of the commands.
///
/// # Errors
/// The links cannot start; the error says why.
pub fn serve(args: &Args) -> Result<(), String> {
    let text = |error: io::Error| error.to_string();
    let mut links = Links::new(args.seed);
    links.add(args.links()?)?;
    let (stop, stopped) = UnixStream::pair().map_err(text)?;
    for signal in [SIGINT, SIGTERM] {
        pipe::register(signal, stop.try_clone().map_err(text)?).map_err(text)?;
    }
    let wake = Arc::new(
        eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(io::Error::from).map_err(text)?,
    );
    let (watched, ends) = channel();
    let (report_news, news) = channel();
    let (send_command, commands) = channel();
    let ring = Arc::clone(&wake);
    let watching = thread::spawn(move || watch(&ends, &report_news, || wake_up(&ring)));
    if args.control {
        let ring = Arc::clone(&wake);
        thread::spawn(move || read_commands(&send_command, &ring, stop));
    }
    if args.control {
        print_answer(&json!({ "ready": links.iter_mut().count() }).to_string());
    } else {
        for (_, link) in links.iter_mut() {
            tracing::info!("linked {}", link.settings.name);
        }
    }
    let inputs = Inputs { commands, news, wake: wake.as_fd(), stop: stopped.as_fd(), watched };
    if !args.no_realtime && !set_realtime_priority() {
        tracing::info!("no real-time priority: frames may be late while the processors are busy");
    }
    let ended = event_loop::run(&mut links, &inputs, print_answer);
    drop(inputs);
    if args.control {
        print_answer(&links.statistics().to_string());
    } else {
        for (_, link) in links.iter_mut() {
            print(&report::text(link));
        }
    }
    // The watching thread ends when its channel is closed.
    let _ = watching.join();
    ended.map_err(text)
}

/// Passes on the lines of standard input, and stops the links when it ends.
fn read_commands(commands: &Sender<String>, wake: &OwnedFd, mut stop: UnixStream) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if !line.trim().is_empty() && commands.send(line).is_err() {
            return;
        }
        wake_up(wake);
    }
    // This fails if the links have already stopped.
    let _ = stop.write_all(&[0]);
}

fn wake_up(event: &OwnedFd) {
    // This fails only if the event is already readable.
    let _ = rustix::io::write(event, &1u64.to_ne_bytes());
}

fn print_answer(line: &str) {
    print(&format!("{line}\n"));
}

/// Prints text to the standard output, even if nobody reads it.
fn print(text: &str) {
    let mut out = io::stdout().lock();
    // This fails if nobody reads the output.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
