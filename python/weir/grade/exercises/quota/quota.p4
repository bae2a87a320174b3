#include <core.p4>
#include <v1model.p4>

// The number of frames that each host may send.
const bit<32> LIMIT = 3;

header frame_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

struct headers_t {
    frame_t frame;
}

struct notes_t {
    // The number of the host that sent the frame.
    bit<8> host;
}

parser Read(packet_in packet, out headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.frame);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout notes_t notes) {
    apply { }
}

control Limit(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    // The number of frames that each host has sent.
    register<bit<32>>(256) sent;

    action refuse() {
        mark_to_drop(std);
    }

    action admit(bit<8> number, bit<9> port) {
        notes.host = number;
        std.egress_spec = port;
    }

    table hosts {
        key = { hdr.frame.from: exact; }
        actions = { admit; refuse; }
        default_action = refuse();
    }

    apply {
        hosts.apply();
        // To do: count the frames of the host, and drop those above the limit.
    }
}

control Leave(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    apply { }
}

control Update(inout headers_t hdr, inout notes_t notes) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr); }
}

V1Switch(Read(), Verify(), Limit(), Leave(), Update(), Write()) main;
