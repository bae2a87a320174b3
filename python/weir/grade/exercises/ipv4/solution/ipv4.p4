#include <core.p4>
#include <v1model.p4>

// The kind of the frames with an IPv4 header.
const bit<16> IPV4 = 0x0800;

header frame_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

header ip_t {
    bit<4> version;
    bit<4> words;
    bit<8> service;
    bit<16> length;
    bit<16> number;
    bit<3> flags;
    bit<13> offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> from;
    bit<32> to;
}

struct headers_t {
    frame_t frame;
    ip_t ip;
}

struct notes_t { }

parser Read(packet_in packet, out headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) {
            IPV4: ip;
            default: accept;
        }
    }

    state ip {
        packet.extract(hdr.ip);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout notes_t notes) {
    apply { }
}

control Route(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    action unreachable() {
        mark_to_drop(std);
    }

    action via(bit<48> hop, bit<9> port) {
        std.egress_spec = port;
        hdr.frame.from = hdr.frame.to;
        hdr.frame.to = hop;
        hdr.ip.ttl = hdr.ip.ttl - 1;
    }

    table routes {
        key = { hdr.ip.to: lpm; }
        actions = { via; unreachable; }
        default_action = unreachable();
        size = 1024;
    }

    apply {
        if (hdr.ip.isValid() && hdr.ip.ttl > 1) {
            routes.apply();
        } else {
            unreachable();
        }
    }
}

control Leave(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    apply { }
}

control Update(inout headers_t hdr, inout notes_t notes) {
    apply {
        update_checksum(
            hdr.ip.isValid(),
            { hdr.ip.version, hdr.ip.words, hdr.ip.service, hdr.ip.length, hdr.ip.number, hdr.ip.flags,
              hdr.ip.offset, hdr.ip.ttl, hdr.ip.protocol, hdr.ip.from, hdr.ip.to },
            hdr.ip.checksum,
            HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr); }
}

V1Switch(Read(), Verify(), Route(), Leave(), Update(), Write()) main;
