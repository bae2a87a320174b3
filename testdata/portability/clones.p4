// Copies.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
struct headers_t {
    probe_t probe;
}
struct meta_t {
    bit<16> note;
    @field_list(1) bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        meta.mark = hdr.probe.kind;
        hdr.probe.kind = meta.mark;
        transition select(meta.note) { //! clone-in-parser
            1: one;
            default: accept;
        }
    }
    state one {
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 2;
        clone(CloneType.I2E, 1);
        clone(CloneType.I2E, 32767);
        clone(CloneType.I2E, 32768); //! clone-session
        clone_preserving_field_list(CloneType.I2E, 40000, 1); //! clone-session
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        clone(CloneType.E2E, 1); //! egress-clone
    }
}
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
