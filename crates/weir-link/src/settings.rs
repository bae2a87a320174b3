//! The settings of a link: its ends, and its effects in each direction.

use std::fmt;
use std::path::PathBuf;

use weir_device::Nanos;
use weir_impair::Impairments;
use weir_ports::is_interface_name;
use weir_qdisc::TcInterface;

/// A link between two interfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// The link's name.
    pub name: String,
    /// The interfaces at its ends.
    pub ends: [End; 2],
    /// The settings of the direction from the first end to the second, and of the opposite
    /// direction.
    pub directions: [DirectionSettings; 2],
    /// Whether the link lets frames pass.
    pub up: bool,
}

impl LinkSettings {
    /// Creates a link without effects on frames.
    pub fn new(name: Option<String>, ends: [End; 2]) -> Self {
        let name = name.unwrap_or_else(|| format!("{}<->{}", ends[0], ends[1]));
        Self { name, ends, directions: Default::default(), up: true }
    }

    /// Returns the name of a direction, which determines its random numbers.
    pub fn direction_name(&self, direction: usize) -> String {
        let arrow = ["a->b", "b->a"][direction];
        let stream = self.directions[direction].stream.clone();
        stream.unwrap_or_else(|| format!("{} {arrow}", self.name))
    }
}

/// An end of a link: an interface, possibly in another network namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The interface's name.
    pub interface: String,
    /// The file of the interface's network namespace; `None` for this process's own.
    pub netns: Option<PathBuf>,
}

impl End {
    /// Creates an interface in a namespace: a path, or a name of `ip netns`.
    ///
    /// # Errors
    /// No interface can have this name.
    pub fn new(interface: &str, netns: Option<&str>) -> Result<Self, String> {
        if !is_interface_name(interface) {
            return Err(format!("\"{interface}\" is not an interface name"));
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

/// The settings of one direction of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectionSettings {
    /// The rate at which frames are sent, in bits per second; `None` if frames are sent without
    /// delay. Frames are transmitted one after the other at this rate. The propagation delay of a
    /// frame begins when its transmission ends.
    pub rate: Option<u64>,
    /// The propagation delay in nanoseconds.
    pub delay: Nanos,
    /// Jitter, loss and other random effects.
    pub impairments: Impairments,
    /// The limit that the user set on the frames in flight or, with a rate, on the frames that wait
    /// to be sent. `None` for the default limit; see [`DirectionSettings::limit`].
    pub own_limit: Option<Limit>,
    /// The queueing discipline in front of the rate. If none is set, frames are sent first in,
    /// first out.
    pub qdisc: TcInterface,
    /// The name of the random streams, such as `h1-eth0->s1-p1`, if it differs from the direction's
    /// name.
    pub stream: Option<String>,
}

impl DirectionSettings {
    /// Returns the limit on the frames in flight or, with a rate, on the frames that wait to be
    /// sent. If the user set no limit, it is [`Limit::QUEUE`] with a rate, else [`Limit::default`].
    /// If there is a queueing discipline, it has its own limit, and this limit only bounds the
    /// memory.
    pub fn limit(&self) -> Limit {
        let is_queue = self.rate.is_some() && self.qdisc.is_empty();
        let usual = if is_queue { Limit::QUEUE } else { Limit::default() };
        self.own_limit.unwrap_or(usual)
    }
}

/// A maximum number of frames, and a maximum for the sum of their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The number of frames.
    pub packets: u64,
    /// The bytes of these frames.
    pub bytes: u64,
}

impl Limit {
    /// The default limit for the queue in front of a rate: 1000 frames, as in netem and in the
    /// queues of Linux interfaces.
    pub const QUEUE: Self = Self { packets: 1000, bytes: 128_000_000 };
}

impl Default for Limit {
    /// Returns the default limit of 100 000 frames and 128 MB, which is 10 Gbit/s for 100 ms.
    fn default() -> Self {
        Self { packets: 100_000, bytes: 128_000_000 }
    }
}
