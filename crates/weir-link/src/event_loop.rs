//! The thread that moves frames: it receives frames, holds them, and sends them when they are due.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use weir_ports::PortError;

use crate::clock::{self, Timer};
use crate::link::Link;
use crate::links::Links;
use crate::watch::{LinkStateChange, WatchMessage};

/// The epoll data of the timer and of the other events that do not belong to links. Each link has
/// two numbers, one for each end.
const TIMER: u64 = u64::MAX;
/// The key of the event that wakes the loop.
const WAKE: u64 = u64::MAX - 1;
/// The key of the event that stops the loop.
const STOP: u64 = u64::MAX - 2;

/// The inputs of the event loop from other threads.
pub struct Inputs<'a> {
    /// Commands, one per line.
    pub commands: Receiver<String>,
    /// Changes of interfaces.
    pub news: Receiver<LinkStateChange>,
    /// Readable when commands or changes of interfaces wait.
    pub wake: BorrowedFd<'a>,
    /// Readable when the stage should stop.
    pub stop: BorrowedFd<'a>,
    /// A channel to the watching thread, which must watch new links.
    pub watched: Sender<WatchMessage>,
}

/// Moves frames until the thread is asked to stop. Passes the answer to each command to `answer`.
///
/// # Errors
/// The operating system failed unexpectedly.
pub fn run(links: &mut Links, inputs: &Inputs<'_>, mut answer: impl FnMut(&str)) -> io::Result<()> {
    let mut timer = Timer::new()?;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (descriptor, number) in [(timer.as_fd(), TIMER), (inputs.wake, WAKE), (inputs.stop, STOP)] {
        epoll::add(&epoll, descriptor, EventData::new_u64(number), EventFlags::IN)?;
    }
    register_links(&epoll, links, inputs)?;
    let mut events = Vec::with_capacity(256);
    loop {
        let sample = links.next_sample();
        timer.set(links.iter_mut().filter_map(|(_, link)| link.next_deadline()).chain(sample).min())?;
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
                    run_requests(links, inputs, &mut answer);
                    return Ok(());
                }
                WAKE => {
                    clear(inputs.wake);
                    run_requests(links, inputs, &mut answer);
                    register_links(&epoll, links, inputs)?;
                }
                number => receive(&epoll, links, number)?,
            }
        }
        for (_, link) in links.iter_mut() {
            // The time is read for each link: sending takes a while.
            if link.next_deadline().is_some_and(|due| due <= clock::now())
                && let Err(error) = link.send(clock::now())
            {
                warn_of_failure(link, &error);
            }
        }
        links.sample(clock::now());
    }
}

/// Receives the frames that wait at the end with this number. An end that fails is not waited for
/// until the watching thread has checked it, at most one second later. Otherwise the end could
/// immediately become ready and fail again.
fn receive(epoll: &OwnedFd, links: &mut Links, number: u64) -> io::Result<()> {
    let (Some(link), end) = (links.get(number / 2), (number % 2) as usize) else { return Ok(()) };
    if let Err(error) = link.receive(end) {
        warn_of_failure(link, &error);
        unregister_end(epoll, link, end)?;
    }
    Ok(())
}

/// Warns about an end that fails, unless the same error continues and was logged recently.
fn warn_of_failure(link: &mut Link, error: &PortError) {
    if let Some(unlogged) = link.trouble.should_log(clock::now(), &error.to_string()) {
        tracing::warn!(link = link.settings.name, unlogged, "{error}");
    }
}

/// Stops waiting for frames at an end.
fn unregister_end(epoll: &OwnedFd, link: &Link, end: usize) -> io::Result<()> {
    let Some(descriptor) = link.wait_on(end) else { return Ok(()) };
    match epoll::delete(epoll, descriptor) {
        // The end has a new socket that is not registered with epoll yet.
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Carries out the requests of other threads.
fn run_requests(links: &mut Links, inputs: &Inputs<'_>, answer: &mut impl FnMut(&str)) {
    for (number, up) in inputs.news.try_iter() {
        if let Some(link) = links.get(number) {
            link.set_carrier(up);
        }
    }
    for line in inputs.commands.try_iter() {
        answer(&links.command(&line).to_string());
    }
}

/// Registers all links with epoll, including new links and links with new sockets.
fn register_links(epoll: &OwnedFd, links: &mut Links, inputs: &Inputs<'_>) -> io::Result<()> {
    // The watching thread keeps their sockets open until it learns of the removal.
    for link in links.take_removed() {
        (0..2).try_for_each(|end| unregister_end(epoll, &link, end))?;
    }
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

/// Reads the bytes that make a descriptor readable.
fn clear(descriptor: BorrowedFd<'_>) {
    // This fails only if the descriptor is not readable.
    let _ = rustix::io::read(descriptor, &mut [0; 64]);
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use rustix::event::Timespec;
    use weir_ports::{Batch, Frame, Metadata, Offloads, Port, Receive, ReceiveCounts, WaitOn, memory};

    use super::*;
    use crate::settings::{End, LinkSettings};

    /// Returns a link whose first end has a waiting frame, and a value that keeps that end's socket
    /// open. `end` may replace the receiving half of the end.
    fn link_with_waiting_frame(end: impl FnOnce(Box<dyn Receive>) -> Box<dyn Receive>) -> (Links, Port) {
        let cable = |names| memory::connect(names, 64, Offloads::default()).unwrap().0;
        let ([mut first, mut far], [second, _]) = (cable(["a", "h1"]), cable(["b", "h2"]));
        let frame = Frame::copy_of(&[0; 60], Metadata::default());
        assert_eq!(far.transmit.transmit(&[frame], &[0]).unwrap(), 1);
        first.receive = end(first.receive);
        let ends = ["a", "b"].map(|name| End::new(name, None).unwrap());
        let mut links = Links::default();
        links.push(Link::between(LinkSettings::new(Some("l".to_owned()), ends), [first, second]));
        (links, far)
    }

    /// Registers the links with epoll, and returns how many ends are then ready.
    fn count_ready(epoll: &OwnedFd, links: &mut Links) -> usize {
        let ((_, commands), (_, news), (watched, _)) = (channel(), channel(), channel());
        let inputs = Inputs { commands, news, wake: epoll.as_fd(), stop: epoll.as_fd(), watched };
        register_links(epoll, links, &inputs).unwrap();
        let mut events = Vec::with_capacity(8);
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        epoll::wait(epoll, spare_capacity(&mut events), Some(&now)).unwrap()
    }

    #[test]
    fn a_removed_link_wakes_nobody() {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let (mut links, _far) = link_with_waiting_frame(|end| end);
        assert_eq!(count_ready(&epoll, &mut links), 1);
        assert_eq!(links.command(r#"{"remove": "l"}"#), serde_json::json!({"ok": true}));
        assert_eq!(count_ready(&epoll, &mut links), 0);
    }

    /// An end that is always ready, and fails.
    struct Failing(Box<dyn Receive>);

    impl Receive for Failing {
        fn receive<'a>(&'a mut self, _: &mut Batch<'a>) -> Result<(), PortError> {
            Err(PortError::NotEthernet { port: "a".to_owned(), link_type: 0 })
        }

        fn wait_on(&self) -> WaitOn<'_> {
            self.0.wait_on()
        }

        fn counts(&mut self) -> ReceiveCounts {
            self.0.counts()
        }
    }

    #[test]
    fn an_end_that_fails_is_left_alone_until_the_next_look() {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let (mut links, _far) = link_with_waiting_frame(|end| Box::new(Failing(end)));
        assert_eq!(count_ready(&epoll, &mut links), 1);
        receive(&epoll, &mut links, 0).unwrap();
        let mut events = Vec::with_capacity(8);
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        assert_eq!(epoll::wait(&epoll, spare_capacity(&mut events), Some(&now)).unwrap(), 0);
        assert_eq!(count_ready(&epoll, &mut links), 1);
    }
}
