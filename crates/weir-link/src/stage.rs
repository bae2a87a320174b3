//! The thread that moves frames: it receives, lets them wait, and sends them when they are due.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;

use crate::clock::{self, Timer};
use crate::links::Links;
use crate::watch::{News, Watched};

/// Numbers of what the thread waits for; links have the others, two each.
const TIMER: u64 = u64::MAX;
const WAKE: u64 = u64::MAX - 1;
const STOP: u64 = u64::MAX - 2;

/// What other threads give to the stage.
pub struct Inputs<'a> {
    /// Commands, each a line.
    pub commands: Receiver<String>,
    /// Changes of interfaces.
    pub news: Receiver<News>,
    /// Readable when there is something in one of these.
    pub wake: BorrowedFd<'a>,
    /// Readable when the stage should stop.
    pub stop: BorrowedFd<'a>,
    /// Where new links are watched.
    pub watched: Sender<Watched>,
}

/// Moves frames until it should stop. Answers each command by `answer`.
///
/// # Errors
/// The operating system refuses what nobody expects.
pub fn run(links: &mut Links, inputs: &Inputs<'_>, mut answer: impl FnMut(&str)) -> io::Result<()> {
    let mut timer = Timer::new()?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (descriptor, number) in [(timer.as_fd(), TIMER), (inputs.wake, WAKE), (inputs.stop, STOP)] {
        epoll::add(&epoll, descriptor, EventData::new_u64(number), EventFlags::IN)?;
    }
    follow(&epoll, links, inputs)?;
    let mut events = Vec::with_capacity(256);
    loop {
        timer.set(links.iter_mut().filter_map(|(_, link)| link.due()).min())?;
        events.clear();
        match epoll::wait(&epoll, spare_capacity(&mut events), None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            match event.data.u64() {
                TIMER => timer.clear(),
                STOP => {
                    obey(links, inputs, &mut answer);
                    return Ok(());
                }
                WAKE => {
                    clear(inputs.wake);
                    obey(links, inputs, &mut answer);
                    follow(&epoll, links, inputs)?;
                }
                number => {
                    let Some(link) = links.get(number / 2) else { continue };
                    if let Err(error) = link.receive((number % 2) as usize) {
                        tracing::warn!(link = link.settings.name, "{error}");
                    }
                }
            }
        }
        for (_, link) in links.iter_mut() {
            // The time is read for each link: sending takes a while.
            if link.due().is_some_and(|due| due <= clock::now())
                && let Err(error) = link.send(clock::now())
            {
                tracing::warn!(link = link.settings.name, "{error}");
            }
        }
    }
}

/// Does what other threads ask for.
fn obey(links: &mut Links, inputs: &Inputs<'_>, answer: &mut impl FnMut(&str)) {
    for (number, up) in inputs.news.try_iter() {
        if let Some(link) = links.get(number) {
            link.set_carrier(up);
        }
    }
    for line in inputs.commands.try_iter() {
        answer(&links.command(&line).to_string());
    }
}

/// Waits for all links there are now: for new ones, and for those with new sockets.
fn follow(epoll: &OwnedFd, links: &mut Links, inputs: &Inputs<'_>) -> io::Result<()> {
    for change in links.take_changes() {
        // The watching thread lives as long as this one.
        let _ = inputs.watched.send(change);
    }
    for (number, link) in links.iter_mut() {
        for end in 0..2 {
            let Some(descriptor) = link.wait_on(end) else { continue };
            let data = EventData::new_u64(number * 2 + end as u64);
            match epoll::add(epoll, descriptor, data, EventFlags::IN) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Ends the reason for which a descriptor is readable.
fn clear(descriptor: BorrowedFd<'_>) {
    // It fails only if the descriptor is not readable.
    let _ = rustix::io::read(descriptor, &mut [0; 64]);
}
