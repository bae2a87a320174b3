//! Congestion controls compared with theory: flows through one bottleneck without the rest of TCP.

mod any;
mod bbr;
mod cubic;
mod model;
mod reno;
mod shares;
