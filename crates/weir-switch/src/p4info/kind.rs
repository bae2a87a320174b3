//! The kinds of objects.

/// A kind of object. Its number is the first of the four bytes in the ids of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// An action.
    Action,
    /// A table.
    Table,
    /// A parser value set.
    ValueSet,
    /// A header type with `@controller_header`, which precedes packets to or from the controller.
    ControllerHeader,
    /// An action profile or selector.
    ActionProfile,
    /// An indexed counter.
    Counter,
    /// A counter of a table's entries.
    DirectCounter,
    /// An indexed meter.
    Meter,
    /// A meter of a table's entries.
    DirectMeter,
    /// A register.
    Register,
    /// A message to the controller.
    Digest,
    /// An object of an extern type for which P4Runtime has no messages. The architecture gives each
    /// such type a number from 0x81 to 0xfe.
    Other(u8),
}

impl ObjectKind {
    /// Returns the kind's number.
    pub const fn number(self) -> u8 {
        match self {
            Self::Action => 0x01,
            Self::Table => 0x02,
            Self::ValueSet => 0x03,
            Self::ControllerHeader => 0x04,
            Self::ActionProfile => 0x11,
            Self::Counter => 0x12,
            Self::DirectCounter => 0x13,
            Self::Meter => 0x14,
            Self::DirectMeter => 0x15,
            Self::Register => 0x16,
            Self::Digest => 0x17,
            Self::Other(number) => number,
        }
    }

    /// Returns the kind's name, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Table => "table",
            Self::ValueSet => "value set",
            Self::ControllerHeader => "controller header",
            Self::ActionProfile => "action profile",
            Self::Counter => "counter",
            Self::DirectCounter => "direct counter",
            Self::Meter => "meter",
            Self::DirectMeter => "direct meter",
            Self::Register => "register",
            Self::Digest => "digest",
            Self::Other(_) => "extern object",
        }
    }
}
