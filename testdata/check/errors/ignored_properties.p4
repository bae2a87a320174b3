// Properties of tables that have no effect, or contradict the entries.
#include <v1model.p4>

header item_t { bit<8> kind; bit<8> count; }
struct headers_t { item_t item; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    action send(bit<9> port) { standard.egress_spec = port; }
    table no_key {
        actions = { send; }
        const default_action = send(1);
        size = 16;                            // WARNING ignored-property
        const entries = { }                   // WARNING ignored-property
        largest_priority_wins = false;        // WARNING ignored-property
        priority_delta = 5;                   // WARNING ignored-property
    }
    table no_entries {
        key = { hdr.item.kind: ternary; }
        actions = { send; NoAction; }
        const size = 16;                      // WARNING ignored-property
        largest_priority_wins = false;        // WARNING ignored-property
        priority_delta = 5;                   // WARNING ignored-property
        const support_timeout = true;         // WARNING ignored-property
    }
    table exact {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        largest_priority_wins = false;        // WARNING ignored-property
        priority_delta = 5;                   // WARNING ignored-property
        entries = { 1: send(1); 2: send(2); 3: send(3); }
        size = 2;                             // WARNING ignored-property
    }
    table prefix {
        key = { hdr.item.kind: lpm; }
        actions = { send; NoAction; }
        largest_priority_wins = false;        // WARNING ignored-property
        const entries = { 0 &&& 0: send(1); 2: send(2); }
        size = 1024;                          // WARNING ignored-property
    }
    table masked {
        key = { hdr.item.kind: ternary; }
        actions = { send; NoAction; }
        largest_priority_wins = false;
        priority_delta = 5;
        entries = { 1: send(1); 2: send(2); }
        size = 16;
    }
    table numbered {
        key = { hdr.item.kind: optional; }
        actions = { send; NoAction; }
        largest_priority_wins = false;
        priority_delta = 5;                   // WARNING ignored-property
        const entries = { priority = 5: 1: send(1); priority = 9: 2: send(2); }
        size = 2;
    }
    @noWarn("ignored-property")
    table silent {
        actions = { send; }
        const default_action = send(1);
        size = 16;
    }
    table annotated {
        key = { hdr.item.kind: ternary; }
        actions = { send; NoAction; }
        largest_priority_wins = false;        // WARNING ignored-property
        priority_delta = 5;                   // WARNING ignored-property
        entries = { 1: send(1) @priority(4); 2: send(2) @priority(3); }
    }
    table lonely {
        key = { hdr.item.kind: ternary; }
        actions = { send; NoAction; }
        priority_delta = 5;                   // WARNING ignored-property
        entries = { 1: send(1); }
    }
    table empty {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        entries = { }                         // WARNING ignored-property
    }
    table never {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        const entries = { }                   // WARNING ignored-property
    }
    table constant {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        const entries = {
            1: send(1);
            const 2: send(2);                 // WARNING ignored-property
            const 3: send(3);
        }
    }
    table mixed {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        entries = { const 2: send(2); 3: send(3); }
    }
    // These try sizes.
    table tried_0 {
        key = { hdr.item.kind: exact; }
        actions = { send; }
        default_action = send(1);
        const entries = { 1: send(1); }
        size = 0;
    }
    table tried_16 {
        key = { hdr.item.kind: exact; }
        actions = { send; }
        default_action = send(1);
        const entries = { 1: send(1); }
        size = 16;
    }
    table other_16 {
        key = { hdr.item.kind: exact; }
        actions = { send; }
        default_action = send(1);
        const entries = { 2: send(1); }
        size = 16;                            // WARNING ignored-property
    }
    apply {
        tried_0.apply();
        tried_16.apply();
        other_16.apply();
        constant.apply();
        mixed.apply();
        annotated.apply();
        lonely.apply();
        empty.apply();
        never.apply();
        no_key.apply();
        no_entries.apply();
        exact.apply();
        prefix.apply();
        masked.apply();
        numbered.apply();
        silent.apply();
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply { } }
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
