// switch on action_run takes the branch of the action that ran, the default's too; an action without a branch takes default.
#include <v1model.p4>

header key_t {
    bit<8> key;
    bit<8> branch;
}

struct headers_t {
    key_t k;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action a() {}
    action b() {}
    action c() {}
    action d() {}
    table t {
        key = { hdr.k.key: exact; }
        actions = { a; b; c; d; NoAction; }
        const entries = {
            1: a();
            2: b();
            3: c();
            4: d();
        }
        default_action = NoAction();
    }

    apply {
        standard.egress_spec = 1;
        switch (t.apply().action_run) {
            a: { hdr.k.branch = 1; }
            b:
            c: { hdr.k.branch = 2; }
            NoAction: { hdr.k.branch = 3; }
            default: { hdr.k.branch = 4; }
        }
    }
}

#include "../rest.p4"
