// Ethernet, a VLAN tag, a shim of four bytes, IPv4 or IPv6, TCP or UDP.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header vlan_t {
    bit<16> tci;
    bit<16> type;
}

header shim_t {
    bit<16> label;
    bit<16> type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  tos;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

header ipv6_t {
    bit<4>   version;
    bit<8>   traffic_class;
    bit<20>  flow_label;
    bit<16>  payload_length;
    bit<8>   next_header;
    bit<8>   hop_limit;
    bit<128> src;
    bit<128> dst;
}

header ports_t {
    bit<16> src;
    bit<16> dst;
}

header tcp_t {
    bit<32> seq;
    bit<32> ack;
    bit<4>  data_offset;
    bit<4>  reserved;
    bit<1>  cwr;
    bit<1>  ece;
    bit<1>  urg;
    bit<1>  ack_flag;
    bit<1>  psh;
    bit<1>  rst;
    bit<1>  syn;
    bit<1>  fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

header udp_t {
    bit<16> length;
    bit<16> checksum;
}

struct headers_t {
    ethernet_t ethernet;
    vlan_t     vlan;
    shim_t     shim;
    ipv4_t     ipv4;
    ipv6_t     ipv6;
    ports_t    ports;
    tcp_t      tcp;
    udp_t      udp;
    shim_t     trailer;
}

struct metadata_t {
    bit<16> number;
    bit<32> wide;
}

/*ITEMS*/

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x8100: vlan;
            0x88b5: shim;
            0x0800: ipv4;
            0x86dd: ipv6;
            default: accept;
        }
    }
    state vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.type) {
            0x0800: ipv4;
            0x86dd: ipv6;
            default: accept;
        }
    }
    state shim {
        packet.extract(hdr.shim);
        transition select(hdr.shim.type) {
            0x0800: ipv4;
            0x86dd: ipv6;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        /*IPV4*/
        transition select(hdr.ipv4.ihl, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 6): tcp;
            (5, 0, 17): udp;
            default: accept;
        }
    }
    state ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.next_header) {
            6: tcp;
            17: udp;
            default: accept;
        }
    }
    state tcp {
        packet.extract(hdr.ports);
        packet.extract(hdr.tcp);
        /*TCP*/ transition accept;
    }
    state udp {
        packet.extract(hdr.ports);
        packet.extract(hdr.udp);
        transition accept;
    }
    /*STATES*/
}

control MyVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        /*VERIFY*/
    }
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    /*LOCALS*/
    apply {
        sm.egress_spec = sm.ingress_port ^ 3;
        /*INGRESS*/
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        /*EGRESS*/
    }
}

control MyCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        /*COMPUTE*/
    }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.vlan);
        packet.emit(hdr.shim);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.ports);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
        packet.emit(hdr.trailer);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
