// Parameters of actions from the control plane.
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
    bool flag;
    error problem;
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action direct(bool flag) { meta.flag = flag; }
    action set(bool flag) { meta.flag = flag; } //! action-data-type
    action fail(error problem) { meta.problem = problem; } //! action-data-type
    action replace(probe_t probe) { hdr.probe = probe; } //! action-data-type
    table route {
        key = { hdr.probe.kind: exact; }
        actions = { set; fail; replace; NoAction; }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 2;
        direct(true);
        route.apply();
        if (meta.flag) { hdr.probe.count = 1; }
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
