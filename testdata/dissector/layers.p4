/* Headers of all kinds: a stack in a sub-parser, a varbit, a union, a value set, metadata. */
#include <core.p4>
#include <v1model.p4>

enum bit<8> Kind { DATA = 1, ACK = 2 }

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header label_t {
    bit<20> label;
    bit<3> class;
    bool last;
    bit<8> ttl;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> length;
    bit<16> id;
    bit<3> flags;
    bit<13> offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
    varbit<320> options;
}

header small_t {
    Kind kind;
    int<8> change;
}

header large_t {
    bit<64> serial;
    int<40> change;
    @format(IPV4_ADDRESS) bit<32> source;
    bit<4> before;
    bit<72> wide;
    bit<4> after;
}

header_union report_t {
    small_t small;
    large_t large;
}

struct headers_t {
    ethernet_t ethernet;
    label_t[3] labels;
    ipv4_t ipv4;
    report_t report;
}

struct metadata_t {}

error { NotVersion4 }

parser Labels(packet_in packet, inout headers_t hdr, in bit<16> type) {
    state start {
        transition select(type) {
            0x0800: ipv4;
            0x8847: label;
            default: accept;
        }
    }
    state label {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.last) {
            false: label;
            true: ipv4;
        }
    }
    state ipv4 {
        bit<8> first = packet.lookahead<bit<8>>();
        packet.extract(hdr.ipv4, ((bit<32>)first[3:0] - 5) * 32);
        verify(hdr.ipv4.version == 4, error.NotVersion4);
        transition accept;
    }
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    Labels() labels;
    value_set<bit<8>>(4) reports;

    state start {
        packet.extract(hdr.ethernet);
        labels.apply(packet, hdr, hdr.ethernet.type);
        transition select(hdr.ipv4.protocol, standard.ingress_port) {
            (reports, _): large;
            (200 .. 210, _): small;
            (0x80 &&& 0xf0, 3): small;
            default: accept;
        }
    }
    state small {
        packet.extract(hdr.report.small);
        transition select(hdr.report.small.kind) {
            Kind.DATA: skip;
            Kind.ACK: accept;
        }
    }
    state skip {
        packet.advance(16);
        transition accept;
    }
    state large {
        packet.extract(hdr.report.large);
        transition accept;
    }
}

control Nothing(inout headers_t hdr, inout metadata_t meta) { apply {} }

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = 1; }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply {} }

control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(MyParser(), Nothing(), MyIngress(), MyEgress(), Nothing(), MyDeparser()) main;
