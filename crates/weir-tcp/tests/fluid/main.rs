//! Controllers against theory: flows through one bottleneck without TCP around them.

mod any;
mod bbr;
mod cubic;
mod model;
mod reno;
mod shares;
