//! The protocol's messages, made from `proto/` by the build script.

#![allow(
    missing_docs,
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code; `proto/` describes the messages"
)]

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

/// The status of gRPC calls.
pub mod google {
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}

/// The protocol P4Runtime, with P4Info.
pub mod p4 {
    /// P4Info: the controllers' view of a program.
    pub mod config {
        pub mod v1 {
            tonic::include_proto!("p4.config.v1");
        }
    }
    /// The messages and calls of the protocol.
    pub mod v1 {
        tonic::include_proto!("p4.v1");
    }
}

/// The messages and calls of BfRt.
pub mod bfrt {
    tonic::include_proto!("bfrt_proto");
}

pub use p4::config::v1 as config;
pub use p4::v1;

/// Returns the descriptors of all messages, for their text and JSON forms.
pub fn descriptors() -> &'static DescriptorPool {
    /// The descriptors of the protocol's messages.
    static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
        let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
        DescriptorPool::decode(&bytes[..]).expect("the build script wrote descriptors")
    });
    &POOL
}
