#include <core.p4>
#include <v1model.p4>

// The kind of the frames with a VLAN tag (IEEE 802.1Q).
const bit<16> TAGGED = 0x8100;
// The port that carries the frames of all VLANs.
const bit<9> TRUNK = 9;

header frame_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

header tag_t {
    bit<3> priority;
    bit<1> eligible;
    bit<12> vlan;
    bit<16> kind;
}

struct headers_t {
    frame_t frame;
    tag_t tag;
}

struct notes_t { }

parser Read(packet_in packet, out headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.frame);
        // To do: extract the tag, if there is one.
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout notes_t notes) {
    apply { }
}

control Bridge(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    action refuse() {
        mark_to_drop(std);
    }

    action enter(bit<12> vlan) {
        // To do: add a tag.
        std.egress_spec = TRUNK;
    }

    action leave(bit<9> port) {
        // To do: remove the tag.
        std.egress_spec = port;
    }

    table access {
        key = { std.ingress_port: exact; }
        actions = { enter; refuse; }
        default_action = refuse();
    }

    table vlans {
        key = { hdr.tag.vlan: exact; }
        actions = { leave; refuse; }
        default_action = refuse();
    }

    apply {
        // To do: choose the table by the port, and refuse what does not belong there.
        access.apply();
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

V1Switch(Read(), Verify(), Bridge(), Leave(), Update(), Write()) main;
