// Tables that share an action selector.
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
    action_selector(HashAlgorithm.crc16, 16, 8) alike;
    action_selector(HashAlgorithm.crc16, 16, 8) mixed;
    table one { //! selector
        key = { hdr.probe.kind: exact; hdr.probe.count: selector; meta.note: selector; }
        actions = { NoAction; }
        implementation = alike;
    }
    table two { //! selector
        key = { meta.note: exact; hdr.probe.count: selector; meta.note: selector; }
        actions = { NoAction; }
        implementation = alike;
    }
    table three { //! selector
        key = { hdr.probe.kind: exact; hdr.probe.count: selector; meta.note: selector; }
        actions = { NoAction; }
        implementation = mixed;
    }
    table turned { //! selector selector-keys
        key = { hdr.probe.kind: exact; meta.note: selector; hdr.probe.count: selector; }
        actions = { NoAction; }
        implementation = mixed;
    }
    table fewer { //! selector selector-keys
        key = { hdr.probe.kind: exact; hdr.probe.count: selector; }
        actions = { NoAction; }
        implementation = mixed;
    }
    apply {
        sm.egress_spec = 2;
        one.apply();
        two.apply();
        three.apply();
        turned.apply();
        fewer.apply();
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
