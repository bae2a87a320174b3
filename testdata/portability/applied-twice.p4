// Tables in several places.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    bit<24> long;
    int<16> level;
}
control Sub(inout bit<16> value) {
    action one() { value = 1; }
    table inner {
        key = { value: exact; }
        actions = { one; NoAction; }
        default_action = NoAction();
    }
    apply { inner.apply(); }
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
    table route {
        key = { hdr.probe.kind: exact; }
        actions = { keep; NoAction; }
        default_action = NoAction();
    }
    table fork {
        key = { hdr.probe.kind: exact; }
        actions = { keep; NoAction; }
        default_action = NoAction();
    }
    Sub() first;
    Sub() second;
    apply {
        sm.egress_spec = 2;
        route.apply();
        hdr.probe.count = 1;
        route.apply(); //! applied-twice
        first.apply(hdr.probe.count);
        second.apply(hdr.probe.count);
        if (hdr.probe.kind == 1) {
            fork.apply();
        } else {
            if (fork.apply().hit) { hdr.probe.long = 1; } //! applied-twice
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
