// Variables that nothing was assigned to are 0, each time anew: locals, out parameters, structs.
#include <v1model.p4>

struct pair_t {
    bit<8> a;
    bool   b;
}

header one_t {
    bit<8> local;
    bit<8> from_action;
    bit<8> of_struct;
    bit<8> flag;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action nothing(out bit<8> result) {}

    apply {
        bit<8> local;
        bit<8> result = 0x44;
        pair_t pair;
        standard.egress_spec = 1;
        nothing(result);
        hdr.one.local = local;
        hdr.one.from_action = result;
        hdr.one.of_struct = pair.a;
        hdr.one.flag = pair.b ? 8w1 : 0;
        local = 0x55;
        pair = { 0x66, true };
    }
}

#include "../rest.p4"
