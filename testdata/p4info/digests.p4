// Messages to the controller: named by their types, or numbered; and value sets.
#include <v1model.p4>

type bit<9> port_t;

header h_t {
    bit<8> a;
    bit<16> b;
    bit<48> c;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    @noWarn("unwritten-metadata") port_t port;
}

struct learn_t {
    bit<48> address;
    port_t port;
}

struct seen_t {
    bit<8> a;
}

struct members_t {
    @id(3) @brief("The first.") bit<8> a;
    @match(ternary) @note("kept") bit<16> b;
}

parser TheParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    value_set<bit<16>>(4) single;
    @id(77) value_set<members_t>(8) several;

    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.a, hdr.h.b) {
            several : next;
            default : accept;
        }
    }

    state next {
        transition select(hdr.h.b) {
            single : accept;
            default : accept;
        }
    }
}

control NoSums(inout headers_t hdr, inout meta_t meta) {
    apply {}
}

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    action learn() {
        digest<learn_t>(1, { hdr.h.c, meta.port });
    }

    table source {
        key = { hdr.h.c : exact; }
        actions = { learn; NoAction; }
    }

    apply {
        source.apply();
        digest(2, { hdr.h.a, hdr.h.b });
        digest<seen_t>(1, { hdr.h.a });
        digest<learn_t>(3, { hdr.h.c, meta.port });
        digest<bit<16>>(1, hdr.h.b);
    }
}

control Nothing(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {}
}

control Emit(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
