//! Tests of `weir-p4runtime`, in one program: each program costs a second to link.

mod arbitration;
mod bench;
mod compiling;
mod descriptors;
mod listeners;
mod lost_copies;
mod messages;
mod p4info;
mod permissions;
mod places;
mod programs;
mod reconciliation;
mod rivals;
mod roles;
mod running;
mod tables;
mod tls;
