//! Quantities with units: rates, times, sizes, shares and numbers of packets.
//!
//! - **Input:** text such as `10Mbit`, `20ms`, `64kB`, `1%` or `100p`, and a description of the
//!   expected quantity ([`WantedQuantity`]).
//! - **Output:** a whole number of bits per second, nanoseconds, bytes or packets, or a share from
//!   0 to 1; or an [`Error`] that says what was expected, and suggests a quantity. In the other
//!   direction, the shortest text that reads back as the same number.
//! - **Rules:** a number has digits on both sides of its point and no exponent. Spaces are allowed
//!   around it and before the unit. Prefixes are decimal (`k` is 1000) except in `KiB`, `MiB` and
//!   `GiB`. Units of time are case-sensitive, others are not. Values are exact: a fraction of the
//!   smallest unit is refused, never rounded.
//! - **Independent of:** JSON, Python, switches, links.

mod decimal;
mod error;
mod format;
mod quantity;
mod wanted;

pub use error::Error;
pub use format::{decimal_fraction, format_rate, format_share, format_size, format_time};
pub use quantity::{Limit, Quantity};
pub use wanted::WantedQuantity;
