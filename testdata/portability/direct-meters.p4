// Direct meters.
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
    direct_meter<bit<8>>(MeterType.packets) rate;
    action first() { rate.read(meta.mark); }
    action second() { rate.read(hdr.probe.kind); } //! direct-meter-results meter-miss
    action keep(bit<16> value) { meta.note = value; }
    table metered {
        key = { hdr.probe.count: exact; }
        actions = {
            first;
            second;
            keep; //! meter-colour
            @defaultonly NoAction;
        }
        default_action = second();
        meters = rate;
    }
    direct_meter<bit<8>>(MeterType.packets) unread;
    table unmetered { //! meter-unread
        key = { hdr.probe.count: exact; }
        actions = { keep; }
        meters = unread;
    }
    apply {
        sm.egress_spec = 2;
        unmetered.apply();
        metered.apply();
        if (meta.mark == 1) { hdr.probe.count = meta.note; }
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
