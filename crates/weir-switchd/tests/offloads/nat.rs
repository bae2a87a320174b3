//! Tests address translation that updates checksums incrementally (RFC 1624, equation 3).

use weir_ports::offload::internet_sum;
use weir_ports::{Checksum, Gso, Metadata};
use weir_switchd::GsoChoice;

use super::Rig;
use super::packets::{Shape, packet};
use super::programs::{SUM, fill_template};

/// Returns a program that replaces every sender's address with 10.7.0.7 and its port with 5000.
fn program() -> String {
    let translate = |field: &str| {
        format!(
            "meta.wide = (bit<32>)({field} ^ 0xffff)
                + (bit<32>)(hdr.ipv4.src[31:16] ^ 0xffff) + (bit<32>)(hdr.ipv4.src[15:0] ^ 0xffff)
                + (bit<32>)(hdr.ports.src ^ 0xffff) + 32w0x0a07 + 32w0x0007 + 32w5000;
            meta.wide = (meta.wide & 0xffff) + (meta.wide >> 16);
            meta.wide = (meta.wide & 0xffff) + (meta.wide >> 16);
            {field} = (bit<16>)meta.wide ^ 0xffff;"
        )
    };
    let (tcp, udp) = (translate("hdr.tcp.checksum"), translate("hdr.udp.checksum"));
    let ingress = format!(
        "if (hdr.ipv4.isValid() && hdr.ports.isValid()) {{
            if (hdr.tcp.isValid()) {{ {tcp} }} else {{ {udp} }}
            hdr.ipv4.src = 0x0a070007;
            hdr.ports.src = 5000;
        }}"
    );
    let update = format!("update_checksum({SUM});");
    fill_template(&[("INGRESS", &ingress), ("COMPUTE", &update)])
}

/// Returns the ones' complement sum over a frame's pseudo-header and its TCP or UDP segment. All
/// bits are 1 if the checksum is right.
fn transport_sum(frame: &[u8]) -> u16 {
    let (ip, transport) = (&frame[14..34], &frame[34..]);
    let pseudo = [&ip[12..20], &[0, ip[9]], &(transport.len() as u16).to_be_bytes()].concat();
    internet_sum(internet_sum(0, &pseudo), transport)
}

#[test]
fn checksums_stay_right_after_partial_ones() {
    let mut frames = Vec::new();
    for (udp, payload, size) in [
        (false, 0, None),
        (false, 901, None),
        (false, 3005, Some(1000)),
        (true, 77, None),
        (true, 2500, Some(1200)),
    ] {
        let seed = 7 + payload as u64;
        let shape = Shape { v6: false, udp, tags: 0, flags: 0x18, options: 12, payload, seed };
        let (bytes, metadata) = packet(shape);
        let gso = metadata.gso.zip(size).map(|(gso, size)| Gso { size, ..gso });
        assert!(matches!(metadata.checksum, Checksum::Partial { .. }));
        frames.push((1, bytes, Metadata { gso, ..metadata }));
    }
    let run = |choice| {
        let mut rig = Rig::new(&program(), Some("interp"), choice);
        rig.send(&frames);
        rig.departed_frames(2)
    };
    let left = run(GsoChoice::Auto);
    assert_eq!(left.len(), 1 + 1 + 4 + 1 + 3);
    for (bytes, metadata) in &left {
        assert!(!matches!(metadata.checksum, Checksum::Partial { .. }), "the sum would be made again");
        assert_eq!((&bytes[26..30], &bytes[34..36]), (&[10, 7, 0, 7][..], &5000_u16.to_be_bytes()[..]));
        assert_eq!(internet_sum(0, &bytes[14..34]), 0xffff);
        assert_eq!(transport_sum(bytes), 0xffff);
    }
    assert_eq!(left, run(GsoChoice::Off));
}
