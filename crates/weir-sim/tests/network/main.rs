//! Tests of `weir-sim`, in one program: each program costs a second to link.

mod accounts;
mod balance;
mod captures;
mod changes;
mod computer;
mod filters;
mod hosts;
mod links;
mod memory;
mod ping;
mod random;
mod rates;
mod samples;
mod sockets;
mod tc;
mod tcp_traffic;
mod threads;
mod traffic;
mod world;
