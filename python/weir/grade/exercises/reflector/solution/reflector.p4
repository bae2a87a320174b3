#include <core.p4>
#include <v1model.p4>

// The kind of the frames that the switch sends back.
const bit<16> ECHO = 0x1234;

header frame_t {
    bit<48> to;
    bit<48> from;
    bit<16> kind;
}

struct headers_t {
    frame_t frame;
}

struct notes_t { }

parser Read(packet_in packet, out headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.frame);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout notes_t notes) {
    apply { }
}

control Answer(inout headers_t hdr, inout notes_t notes, inout standard_metadata_t std) {
    apply {
        if (hdr.frame.isValid() && hdr.frame.kind == ECHO) {
            bit<48> sender = hdr.frame.from;
            hdr.frame.from = hdr.frame.to;
            hdr.frame.to = sender;
            std.egress_spec = std.ingress_port;
        } else {
            mark_to_drop(std);
        }
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

V1Switch(Read(), Verify(), Answer(), Leave(), Update(), Write()) main;
