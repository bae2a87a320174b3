//! The numbers that a program's ports can have.

use weir_device::Port;

/// The port numbers of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortSpace {
    /// The number of bits of a port number, at most 32.
    pub width: u32,
    /// The number that means "drop" instead of a port.
    pub drop: Option<Port>,
}

impl PortSpace {
    /// Creates the space of all numbers of this width in bits. No number means "drop".
    pub fn new(width: u32) -> Self {
        Self { width: width.min(Port::BITS), drop: None }
    }

    /// Makes the largest number mean "drop".
    #[must_use]
    pub fn dropping_last(self) -> Self {
        Self { drop: Some(self.last()), ..self }
    }

    /// Makes this number, if there is one, the only number that means "drop".
    #[must_use]
    pub fn dropping(self, port: Option<Port>) -> Self {
        Self { drop: port.or(self.drop), ..self }
    }

    /// Returns the largest number, which may mean "drop".
    pub fn last(self) -> Port {
        Port::MAX.checked_shr(Port::BITS - self.width).unwrap_or(0)
    }

    /// Returns the largest number of a port.
    pub fn last_port(self) -> Port {
        if self.drop == Some(self.last()) { self.last().saturating_sub(1) } else { self.last() }
    }

    /// Returns whether a port can have this number.
    pub fn has_port(self, port: Port) -> bool {
        port <= self.last() && self.drop != Some(port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_fit_the_width_and_do_not_drop() {
        for (width, last) in [(9, 511), (16, 65_535), (32, Port::MAX), (64, Port::MAX)] {
            let space = PortSpace::new(width).dropping_last();
            assert_eq!((space.last(), space.last_port(), space.drop), (last, last - 1, Some(last)));
            assert!(space.has_port(0) && space.has_port(last - 1) && !space.has_port(last));
            let moved = space.dropping(Some(4));
            assert_eq!((moved.last_port(), moved.has_port(4), moved.has_port(last)), (last, false, true));
            assert_eq!(space.dropping(None), space);
        }
    }
}
