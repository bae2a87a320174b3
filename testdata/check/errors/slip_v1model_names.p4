// Misspelt names of v1model, and names of older versions.
#include <v1model.p4>

header h_t { bit<8> x; }
struct headers_t { h_t h; }
struct meta_t { bit<8> color; }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t smeta) {
    counter(16, CounterType.packet) packets; // ERROR unknown-member
    registr<bit<8>>(16) last; // ERROR unknown-type
    action drop() { mark_to_dorp(smeta); } // ERROR unknown-name
    action to_port(bit<9> port) { smeta.egress_spce = port; } // ERROR unknown-field
    action old_drop() { drop_packet(); } // ERROR unknown-name
    table t {
        key = { hdr.h.x: exat; } // ERROR unknown-match-kind
        actions = { drop; to_port; old_drop; }
        default_action = drop();
    }
    apply {
        t.apply();
        meta.colour = 1; // ERROR unknown-field
        smeta.egres_port = 1; // ERROR unknown-field
        if (smeta.resubmit_flag == 1) { // ERROR unknown-field
            smeta.clone_spec = 5; // ERROR unknown-field
        }
        smeta.drop = 1; // ERROR unknown-field
        smeta.recirculate_flag = 1; // ERROR unknown-field
        hdr.h.setvalid(); // ERROR unknown-method
        packets.cuont(0);
    }
}
