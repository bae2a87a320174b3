// Words and notations of other languages, of P4_14 and of everyday speech.
#include <v1model.p4>

header h_t {
    bit<32> address;
    bit<48> mac;
    bit<8> ttl;
}
struct headers_t { h_t h; }
struct meta_t { bit<8> color; }

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(16, packets) total; // ERROR unknown-name
    counter(16, CounterType.packets) seen;
    register<bit<32>>(4) last;
    action drop() { mark_to_drop(sm); }
    action set_fields(bit<8> ttl) { hdr.h.ttl = ttl; }
    table early {
        key = { hdr.h.address: longest; } // ERROR unknown-match-kind
        actions = { drop; }
    }
    table another {
        key = { hdr.h.address: wildcard; hdr.h.ttl: fuzzy; } // ERROR unknown-match-kind unknown-match-kind
        actions = { drop; }
        default_action = NoAction(); // ERROR action-not-listed
    }
    action applies() {
        early.apply(); // ERROR misplaced-call
        late.apply(); // ERROR misplaced-call
    }
    table late {
        key = { hdr.h.ttl: exact; }
        actions = { drop; applies; }
    }
    apply {
        late.apply();
        another.apply();
        printf("x"); // ERROR unknown-name
        drop_packet(); // ERROR unknown-name
        modify_field(hdr.h.ttl, 3); // ERROR unknown-name
        set_field(3); // ERROR unknown-name
        emit(hdr.h); // ERROR unknown-name
        if (valid(hdr.h)) { drop(); } // ERROR unknown-name
        if (hdr.h.valid()) { drop(); } // ERROR unknown-method
        hdr.h.remove(); // ERROR unknown-method
        hdr.h.resize(); // ERROR unknown-method
        seen.inc(1); // ERROR unknown-method
        if (hdr.h == null) { drop(); } // ERROR unknown-name
        if (True) { drop(); } // ERROR unknown-name
        standard_metadata.egress_spec = 1; // ERROR unknown-name
        if (late.apply() == true) { drop(); } // ERROR bad-operand
        if (hdr.h.isValid() == 1) { drop(); } // ERROR bad-operand
        if (hdr.h.address == "10.0.0.1") { drop(); } // ERROR bad-operand
        last[0] = 1; // ERROR not-indexable
        bit<32> value = last.read(0); // ERROR argument-count
        hdr.h.length = 3; // ERROR unknown-field
        switch (late.apply().action_run) {
            forward: { } // ERROR unknown-action
        }
        meta.color = (bit<8>)value;
    }
}

parser P(packet_in packet, out headers_t hdr) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}
control any(inout headers_t hdr);
package top(any a);
top(P) main; // ERROR not-a-value
