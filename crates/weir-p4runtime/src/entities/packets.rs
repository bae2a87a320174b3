//! Converts packets between controller and switch, including the header in front of them
//! (specification, "Packet I/O").

use weir_grpc::Problem;
use weir_ir::Bits;
use weir_ir::wire::Writer;

use crate::pipeline::{ControllerHeader, Pipeline};
use crate::proto::v1;

/// Converts a frame that left the CPU port to a packet-in message. The header that the program put
/// in front of the frame is removed, and its fields become the metadata.
///
/// # Errors
/// The frame is shorter than the header.
pub fn packet_in(pipeline: &Pipeline, frame: &[u8]) -> Result<v1::PacketIn, Problem> {
    let Some(header) = &pipeline.layout.packet_in else {
        return Ok(v1::PacketIn { payload: frame.to_vec(), metadata: Vec::new() });
    };
    let Some((head, payload)) = frame.split_at_checked(header.bytes()) else {
        let (needs, has) = (header.bytes(), frame.len());
        return Err(Problem::out_of_range(format!(
            "a frame of {has} bytes has no room for the header `packet_in` of {needs} bytes"
        )));
    };
    let whole = Bits::from_be_bytes(head.len() as u32 * 8, head);
    let mut left = whole.width();
    let mut metadata = Vec::with_capacity(header.fields.len());
    for (bits, field) in &header.fields {
        left -= bits;
        if let (Some(field), 1..) = (field, *bits) {
            let value = field.write(&pipeline.translator, &whole.slice(left + bits - 1, left));
            metadata.push(v1::PacketMetadata { metadata_id: field.id, value });
        }
    }
    Ok(v1::PacketIn { payload: payload.to_vec(), metadata })
}

/// Converts a packet-out message to the frame that enters at the CPU port. The frame begins with
/// the header that the program expects, which is made from the metadata, and continues with the
/// payload. Fields that the P4Info does not show are 0.
///
/// # Errors
/// The metadata differ from those in the P4Info, or a value does not fit.
pub fn packet_out(pipeline: &Pipeline, packet: &v1::PacketOut) -> Result<Vec<u8>, Problem> {
    let texts = pipeline.translator.texts();
    let mark = texts.mark();
    frame_of(pipeline, packet).inspect_err(|_| texts.take_back(mark))
}

fn frame_of(pipeline: &Pipeline, packet: &v1::PacketOut) -> Result<Vec<u8>, Problem> {
    let none = ControllerHeader::default();
    let header = pipeline.layout.packet_out.as_ref().unwrap_or(&none);
    let visible_fields = || header.fields.iter().filter_map(|(_, field)| field.as_ref());
    for (place, sent) in packet.metadata.iter().enumerate() {
        let id = sent.metadata_id;
        if !visible_fields().any(|field| field.id == id) {
            let listed: Vec<_> =
                visible_fields().map(|field| format!("{} `{}`", field.id, field.name)).collect();
            let listed = if listed.is_empty() { "it has none".to_owned() } else { listed.join(", ") };
            return Err(Problem::invalid(format!("packet-out has no metadata with the id {id} ({listed})")));
        }
        if packet.metadata[..place].iter().any(|other| other.metadata_id == id) {
            return Err(Problem::invalid(format!("packet-out has the metadata with the id {id} twice")));
        }
    }
    let mut frame = Vec::with_capacity(header.bytes() + packet.payload.len());
    let mut writer = Writer::new(&mut frame);
    for (bits, field) in &header.fields {
        let value = match field {
            None => Bits::zero(*bits),
            Some(field) => {
                let sent = packet.metadata.iter().find(|metadata| metadata.metadata_id == field.id);
                let Some(sent) = sent else {
                    let (name, id) = (&field.name, field.id);
                    return Err(Problem::invalid(format!(
                        "packet-out needs the metadata `{name}` (id {id})"
                    )));
                };
                field.read(&pipeline.translator, &sent.value)?
            }
        };
        writer.push(&value);
    }
    frame.extend_from_slice(&packet.payload);
    Ok(frame)
}
