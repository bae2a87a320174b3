//! Compiles the protocol's messages. `protox` is a library, so no `protoc` needs to be installed.

use std::error::Error;
use std::path::{Path, PathBuf};

use prost::Message;

/// All files; they import each other relative to `proto`.
const FILES: [&str; 5] = [
    "google/rpc/status.proto",
    "p4/config/v1/p4types.proto",
    "p4/config/v1/p4info.proto",
    "p4/v1/p4data.proto",
    "p4/v1/p4runtime.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(FILES, ["proto"])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), files.encode_to_vec())?;
    let mut config = tonic_prost_build::Config::new();
    // Maps have an order, so that equal messages have equal bytes.
    config.btree_map(["."]);
    // With their names, messages find their descriptors.
    config.enable_type_names();
    tonic_prost_build::configure().compile_fds_with_config(files, config)?;
    bound_what_the_server_decodes(&out.join("p4.v1.rs"))
}

/// Gives the generated server our codec; tonic-prost-build has no option for it.
fn bound_what_the_server_decodes(file: &Path) -> Result<(), Box<dyn Error>> {
    let code = std::fs::read_to_string(file)?;
    let (client, server) = code.split_once("pub mod p4_runtime_server").ok_or("no server was generated")?;
    let bounded =
        server.replace("tonic_prost::ProstCodec::default()", "crate::proto::codec::BoundedCodec::default()");
    if bounded == server {
        return Err("the generated server has no codec of prost".into());
    }
    std::fs::write(file, format!("{client}pub mod p4_runtime_server{bounded}"))?;
    Ok(())
}
