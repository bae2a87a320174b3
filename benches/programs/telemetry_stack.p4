// Telemetry in packets, hop by hop: each switch pushes 12 bytes of what it saw onto a stack behind the Ethernet header.
#include <core.p4>
#include <v1model.p4>

const bit<16> TELEMETRY = 0x88b5;
const bit<8> SWITCH = 7;
const int HOPS = 8;

header ethernet_h {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

// What one switch saw.
header telemetry_h {
    bit<8>  switch_id;
    bit<9>  ingress_port;
    bit<9>  egress_port;
    bit<19> queue_depth;
    bit<32> queue_time;
    bit<3>  reserved;
    bit<16> ether_type;
}

header ipv4_h {
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

struct headers_t {
    ethernet_h        ethernet;
    telemetry_h[HOPS] telemetry;
    ipv4_h            ipv4;
}

struct metadata_t {
}

parser TelemetryParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            TELEMETRY: telemetry;
            0x0800: ipv4;
            default: accept;
        }
    }

    state telemetry {
        packet.extract(hdr.telemetry.next);
        transition select(hdr.telemetry.last.ether_type) {
            TELEMETRY: telemetry;
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control TelemetryVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control TelemetryIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    table hosts {
        key = { hdr.ipv4.dst: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 65536;
    }

    apply {
        if (hdr.ipv4.isValid()) {
            hosts.apply();
        } else {
            drop();
        }
    }
}

control TelemetryEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.ipv4.isValid() && !hdr.telemetry[HOPS - 1].isValid()) {
            hdr.telemetry.push_front(1);
            hdr.telemetry[0].setValid();
            hdr.telemetry[0].switch_id = SWITCH;
            hdr.telemetry[0].ingress_port = standard.ingress_port;
            hdr.telemetry[0].egress_port = standard.egress_port;
            hdr.telemetry[0].queue_depth = standard.deq_qdepth;
            hdr.telemetry[0].queue_time = standard.deq_timedelta;
            hdr.telemetry[0].reserved = 0;
            hdr.telemetry[0].ether_type = hdr.ethernet.ether_type;
            hdr.ethernet.ether_type = TELEMETRY;
        }
    }
}

control TelemetryChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control TelemetryDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(TelemetryParser(), TelemetryVerify(), TelemetryIngress(), TelemetryEgress(), TelemetryChecksum(), TelemetryDeparser()) main;
