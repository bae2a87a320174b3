/*
 * router.p4 - an IPv4 router whose tables follow the routing table of a Linux computer.
 *
 * Port N has a control port N + CONTROL, which leads to the computer's interface for port N. The
 * computer answers ARP, speaks routing protocols, and forwards what the tables do not know yet. The
 * agent (agent.py) writes the computer's interfaces, routes and neighbours into the tables.
 */

#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

const port_t CONTROL = 10;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> dscp_ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    ipv4_address_t src;
    ipv4_address_t dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t { }

parser RouterParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets) routed;
    ipv4_address_t next_hop = 0;
    port_t port = 0;
    bool to_computer = true;

    // Frames to the address of a port's interface are for the router. All others are the computer's.
    action route() {
        to_computer = false;
    }

    table interfaces {
        key = {
            std.ingress_port: exact;
            hdr.ethernet.dst: exact;
        }
        actions = { route; NoAction; }
        const default_action = NoAction();
    }

    action to_gateway(ipv4_address_t gateway, port_t out_port) {
        routed.count();
        next_hop = gateway;
        port = out_port;
    }

    action to_network(port_t out_port) {
        routed.count();
        next_hop = hdr.ipv4.dst;
        port = out_port;
    }

    action computer() {
        routed.count();
        to_computer = true;
    }

    table routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { to_gateway; to_network; computer; }
        const default_action = computer();
        counters = routed;
        size = 65536;
    }

    action send(mac_t mac) {
        hdr.ethernet.dst = mac;
    }

    // Without a neighbour, the computer asks for it with ARP.
    action unknown() {
        to_computer = true;
    }

    table neighbours {
        key = {
            port: exact;
            next_hop: exact;
        }
        actions = { send; unknown; }
        const default_action = unknown();
        size = 65536;
    }

    apply {
        if (std.ingress_port > CONTROL) {
            std.egress_spec = std.ingress_port - CONTROL;
        } else if (std.checksum_error == 1 || std.parser_error != error.NoError) {
            mark_to_drop(std);
        } else {
            // The computer answers packets whose TTL ends, and handles options.
            if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5 && hdr.ipv4.ttl > 1) {
                interfaces.apply();
                if (!to_computer) {
                    routes.apply();
                }
                if (!to_computer) {
                    neighbours.apply();
                }
            }
            if (to_computer) {
                std.egress_spec = std.ingress_port + CONTROL;
            } else {
                hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
                std.egress_spec = port;
            }
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action from(mac_t mac) {
        hdr.ethernet.src = mac;
    }

    table sources {
        key = { std.egress_port: exact; }
        actions = { from; NoAction; }
        const default_action = NoAction();
    }

    apply {
        // Frames of the computer already have the address; those to the computer keep the sender's.
        if (std.ingress_port < CONTROL && std.egress_port < CONTROL) {
            sources.apply();
        }
    }
}

control RouterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(RouterParser(), RouterVerifyChecksum(), RouterIngress(), RouterEgress(), RouterComputeChecksum(),
         RouterDeparser()) main;
