// Switches over values.
#include <core.p4>
#include <v1model.p4>

type bit<8> level_t;
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
    error problem;
    level_t level;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action choose() {
        switch (hdr.probe.kind) { //! switch-in-action
            1: { meta.note = 3; }
            default: { }
        }
    }
    apply {
        sm.egress_spec = 2;
        choose();
        switch (hdr.probe.kind) {
            1: { hdr.probe.kind = 2; } //! switch-key
            2: { meta.note = 2; }
        }
        switch (meta.level) { //! switch-subject
            (level_t)1: { meta.note = 5; }
            default: { }
        }
        switch (meta.problem) { //! switch-subject
            error.NoError: { meta.note = 4; }
            default: { }
        }
        hdr.probe.count = meta.note;
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
