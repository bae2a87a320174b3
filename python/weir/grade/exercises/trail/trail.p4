#include <core.p4>
#include <v1model.p4>

// The kind of the frames that record their path.
const bit<16> RECORD = 0x88b5;
// The number of this switch.
const bit<16> OWN = 7;
// The maximum number of switches that a frame records.
const bit<8> MOST = 4;

header frame_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

header trail_t {
    bit<8> length;
}

header hop_t {
    bit<16> node;
    bit<16> port;
}

struct headers_t {
    frame_t frame;
    trail_t trail;
    hop_t[4] hops;
}

struct notes_t {
    // The number of hops that the parser has not read yet.
    bit<8> unread;
}

parser Read(packet_in packet, out headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) {
            RECORD: trail;
            default: accept;
        }
    }

    state trail {
        packet.extract(hdr.trail);
        notes.unread = hdr.trail.length;
        // To do: extract the hops.
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout notes_t notes) {
    apply { }
}

control Record(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    action refuse() {
        mark_to_drop(std);
    }

    action send(bit<9> port) {
        std.egress_spec = port;
    }

    table outputs {
        key = { hdr.frame.to: exact; }
        actions = { send; refuse; }
        default_action = refuse();
    }

    apply {
        outputs.apply();
        // To do: drop frames with more hops than they may have.
        // To do: add this switch in front of the hops, if there is room.
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

V1Switch(Read(), Verify(), Record(), Leave(), Update(), Write()) main;
