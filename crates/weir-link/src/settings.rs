//! What a link is: its ends, and what it does in each direction.

use std::fmt;
use std::path::PathBuf;

use weir_device::Nanos;
use weir_impair::Impairments;

/// A link between two interfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// What people call it.
    pub name: String,
    /// The interfaces at its ends.
    pub ends: [End; 2],
    /// What happens to frames from the first end to the second, and back.
    pub directions: [DirectionSettings; 2],
    /// Whether frames pass.
    pub up: bool,
}

impl LinkSettings {
    /// A link that does nothing to frames.
    pub fn new(name: Option<String>, ends: [End; 2]) -> Self {
        let name = name.unwrap_or_else(|| format!("{}<->{}", ends[0], ends[1]));
        Self { name, ends, directions: Default::default(), up: true }
    }

    /// The name of a direction's random streams.
    pub fn stream(&self, direction: usize) -> String {
        if let Some(stream) = &self.directions[direction].stream {
            return format!("link {stream}");
        }
        let arrow = ["a->b", "b->a"][direction];
        format!("link {} {arrow}", self.name)
    }
}

/// An end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The interface's name.
    pub interface: String,
    /// The network namespace in which it is, as a file; none for this process's own.
    pub netns: Option<PathBuf>,
}

/// The longest name of an interface, in bytes (`IFNAMSIZ` without its zero).
const LONGEST_NAME: usize = 15;

impl End {
    /// An interface in a namespace: a path, or a name of `ip netns`.
    ///
    /// # Errors
    /// No interface can have this name.
    pub fn new(interface: &str, netns: Option<&str>) -> Result<Self, String> {
        if interface.is_empty() || interface.len() > LONGEST_NAME || interface.contains(['/', '\0']) {
            return Err(format!("\"{interface}\" is no name of an interface"));
        }
        let netns = netns.map(|netns| match netns.contains('/') {
            true => PathBuf::from(netns),
            false => PathBuf::from("/run/netns").join(netns),
        });
        Ok(Self { interface: interface.to_owned(), netns })
    }

    /// Reads `INTERFACE` or `INTERFACE@NETNS`.
    ///
    /// # Errors
    /// No interface can have this name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (interface, netns) = match text.split_once('@') {
            Some((interface, netns)) if !netns.is_empty() => (interface, Some(netns)),
            Some(_) => return Err("expected INTERFACE or INTERFACE@NETNS".to_owned()),
            None => (text, None),
        };
        Self::new(interface, netns)
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.netns {
            Some(netns) => write!(f, "{}@{}", self.interface, netns.display()),
            None => f.write_str(&self.interface),
        }
    }
}

/// What a link does to frames in one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionSettings {
    /// How fast frames leave, in bits per second; none for at once. Each takes its time at this
    /// rate, after the one before, and then the delay begins.
    pub rate: Option<u64>,
    /// The propagation delay in nanoseconds.
    pub delay: Nanos,
    /// Jitter, loss, and so on.
    pub impairments: Impairments,
    /// What can be on the way; with a rate, what has not left yet. None for the
    /// usual one, which [`DirectionSettings::limit`] knows.
    pub own_limit: Option<Limit>,
    /// The name of the random streams, if it is not the link's: `h1-eth0->s1-p1`.
    pub stream: Option<String>,
}

impl DirectionSettings {
    /// What can be on the way; with a rate, what has not left yet: [`Limit::QUEUE`] or
    /// [`Limit::default`] if the settings have none.
    pub fn limit(&self) -> Limit {
        let usual = if self.rate.is_some() { Limit::QUEUE } else { Limit::default() };
        self.own_limit.unwrap_or(usual)
    }
}

/// How many frames there can be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Frames.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Limit {
    /// Of a queue in front of a rate: 1000 frames, as in netem and in queues of Linux' interfaces.
    pub const QUEUE: Self = Self { packets: 1000, bytes: 128_000_000 };
}

impl Default for Limit {
    /// 100 000 frames and 128 MB: 10 Gbit/s for 100 ms.
    fn default() -> Self {
        Self { packets: 100_000, bytes: 128_000_000 }
    }
}
