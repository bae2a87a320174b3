// Signed action data.
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
    bit<8> mark;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action level(int<16> value) {
        hdr.probe.level = value;
        if (value < 3) { meta.mark = 1; } //! signed-data
        hdr.probe.long = (bit<24>)(int<24>)value; //! signed-data
    }
    table levels {
        key = { hdr.probe.kind: exact; }
        actions = { level; NoAction; }
        default_action = level(-3); //! negative-data
        entries = {
            1: level(5);
            2: level(-5); //! negative-data
        }
    }
    apply {
        sm.egress_spec = 2;
        levels.apply();
        if (meta.mark == 1) { hdr.probe.count = 2; }
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
