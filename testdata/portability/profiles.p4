// Action profiles and selectors.
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
    action keep(bit<16> value) { meta.note = value; }
    action_profile(16) pool;
    action_selector(HashAlgorithm.crc16, 16, 8) spread;
    table pooled {
        key = { hdr.probe.kind: exact; }
        actions = { keep; NoAction; }
        default_action = keep(3); //! profile-default
        entries = {
            1: keep(1); //! profile-entries
            2: keep(2);
        }
        implementation = pool;
    }
    table balanced { //! selector
        key = {
            hdr.probe.kind: exact;
            hdr.probe.count: selector;
        }
        actions = { keep; NoAction; }
        implementation = spread;
    }
    apply {
        sm.egress_spec = 2;
        switch (pooled.apply().action_run) { //! profile-miss
            NoAction: { hdr.probe.long = 1; }
            default: { hdr.probe.long = 2; }
        }
        balanced.apply();
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
