//! Compiles the protocol's messages. `protox` is a library, so no `protoc` needs to be installed.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

/// All files, with paths relative to the folder `proto`, as they import each other.
const FILES: [&str; 6] = [
    "bfrt/bfruntime.proto",
    "google/rpc/status.proto",
    "p4/config/v1/p4types.proto",
    "p4/config/v1/p4info.proto",
    "p4/v1/p4data.proto",
    "p4/v1/p4runtime.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(FILES, ["proto"])?;
    let out_dir = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out_dir.join("descriptors.bin"), files.encode_to_vec())?;
    std::fs::write(out_dir.join("shapes.rs"), Shapes::from_files(&files).code()?)?;
    let mut config = tonic_prost_build::Config::new();
    // Maps are ordered, so that equal messages have equal bytes.
    config.btree_map(["."]);
    // A message finds its descriptor by its name.
    config.enable_type_names();
    tonic_prost_build::configure().compile_fds_with_config(files, config)?;
    use_our_codec(&out_dir.join("p4.v1.rs"), "p4_runtime_server")?;
    use_our_codec(&out_dir.join("bfrt_proto.rs"), "bf_runtime_server")
}

/// Makes the generated server use our codec, since tonic-prost-build has no option for this.
fn use_our_codec(file: &Path, module: &str) -> Result<(), Box<dyn Error>> {
    let code = std::fs::read_to_string(file)?;
    let (client, server) = code.split_once(&format!("pub mod {module}")).ok_or("no server was generated")?;
    let ours = server.replace("tonic_prost::ProstCodec::default()", "crate::codec::ServerCodec::default()");
    if ours == server {
        return Err("the generated server has no codec of prost".into());
    }
    std::fs::write(file, format!("{client}pub mod {module}{ours}"))?;
    Ok(())
}

/// The number of bytes that a list, byte string or string takes inside the message that contains
/// it.
const POINTERS: usize = 24;
/// The maximum number of bytes for a number, or for the discriminant of a `oneof`.
const NUMBER: usize = 8;

/// Returns whether a field is a list of numbers.
fn is_packed(field: &FieldDescriptorProto) -> bool {
    let is_number = !matches!(field.r#type(), Type::Message | Type::Bytes | Type::String | Type::Group);
    field.label() == Label::Repeated && is_number
}

/// The memory layouts of decoded messages, from which the build script generates a table for
/// `src/codec.rs`.
struct Shapes<'f>(BTreeMap<String, &'f DescriptorProto>);

impl<'f> Shapes<'f> {
    /// Creates the layouts of all messages. Names of messages begin with a dot.
    fn from_files(files: &'f FileDescriptorSet) -> Self {
        let mut messages = BTreeMap::new();
        let mut left: Vec<_> = files
            .file
            .iter()
            .flat_map(|file| file.message_type.iter().map(|one| (format!(".{}", file.package()), one)))
            .collect();
        while let Some((outside, message)) = left.pop() {
            let name = format!("{outside}.{}", message.name());
            left.extend(message.nested_type.iter().map(|inner| (name.clone(), inner)));
            messages.insert(name, message);
        }
        Self(messages)
    }

    /// Returns the Rust code of a table with the layouts.
    fn code(&self) -> Result<String, Box<dyn Error>> {
        let places: BTreeMap<_, _> = self.0.keys().zip(0..).collect();
        let mut code = format!("const POINTERS: usize = {POINTERS};\nstatic SHAPES: &[Shape] = &[\n");
        for (name, message) in &self.0 {
            let size = self.size(name, &mut Vec::new());
            writeln!(code, "Shape {{ name: {:?}, size: {size}, messages: &[", &name[1..])?;
            for field in message.field.iter().filter(|field| field.r#type() == Type::Message) {
                let place: usize = places[&field.type_name().to_owned()];
                writeln!(code, "({}, {place}, {}),", field.number(), field.label() == Label::Repeated)?;
            }
            code += "], packed: &[";
            for field in message.field.iter().filter(|field| is_packed(field)) {
                write!(code, "{},", field.number())?;
            }
            code += "] },\n";
        }
        code += "];\n";
        Ok(code)
    }

    /// Returns the approximate size of a decoded message in bytes; `outer` are the messages that
    /// contain it.
    fn size(&self, name: &str, outer: &mut Vec<String>) -> usize {
        assert!(!outer.iter().any(|outer| outer == name), "prost boxes {name}: count the boxes in codec.rs");
        outer.push(name.to_owned());
        let mut choices = BTreeMap::new();
        let mut alone = 0;
        for field in &self.0[name].field {
            let size = self.field_size(field, outer);
            match field.oneof_index {
                Some(oneof) => {
                    let largest = choices.entry(oneof).or_insert(0);
                    *largest = size.max(*largest);
                }
                None => alone += size,
            }
        }
        outer.pop();
        alone + choices.values().sum::<usize>()
    }

    fn field_size(&self, field: &FieldDescriptorProto, outer: &mut Vec<String>) -> usize {
        match field.r#type() {
            _ if field.label() == Label::Repeated => POINTERS,
            Type::Message => NUMBER + self.size(field.type_name(), outer),
            Type::Bytes | Type::String => POINTERS,
            _ => NUMBER,
        }
    }
}
