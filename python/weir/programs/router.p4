/*
 * router.p4 - an IPv4 and IPv6 router with equal-cost multipath (ECMP).
 *
 * A packet takes the longest prefix that contains its destination. If that entry has several next
 * hops, the packet's flow selects one of them: all packets of a flow take the same path. TTL or hop
 * limit decrease by one; a packet for which they would reach 0 is dropped, as is one without route.
 *
 * The router also answers ARP requests and IPv6 neighbour solicitations for every address, at every
 * port, with its own MAC address. So hosts find their gateway, whatever its address is.
 *
 * A network fills `ipv4_routes` and `ipv6_routes` from its topology, because they say `@route`.
 */

#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<128> ipv6_address_t;
typedef bit<9> port_t;

const mac_t ROUTER_MAC = 0x08000000ff01;

enum bit<16> EtherType {
    IPV4 = 0x0800,
    ARP = 0x0806,
    IPV6 = 0x86dd
}

enum bit<8> Protocol {
    TCP = 6,
    UDP = 17,
    ICMPV6 = 58
}

header ethernet_t {
    mac_t dst;
    mac_t src;
    EtherType type;
}

// RFC 826, for IPv4 over Ethernet.
header arp_t {
    bit<16> hardware_type;
    bit<16> protocol_type;
    bit<8> hardware_length;
    bit<8> protocol_length;
    bit<16> operation;
    mac_t sender_mac;
    ipv4_address_t sender;
    mac_t target_mac;
    ipv4_address_t target;
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
    Protocol protocol;
    bit<16> checksum;
    ipv4_address_t src;
    ipv4_address_t dst;
}

header ipv4_options_t {
    varbit<320> options;
}

header ipv6_t {
    bit<4> version;
    bit<8> traffic_class;
    bit<20> flow_label;
    bit<16> payload_length;
    Protocol next_header;
    bit<8> hop_limit;
    ipv6_address_t src;
    ipv6_address_t dst;
}

// Neighbour solicitation and advertisement with a link-layer address (RFC 4861, sections 4.3 and 4.4).
header neighbour_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
    bit<32> flags;
    ipv6_address_t target;
    bit<8> option_type;
    bit<8> option_length;
    mac_t mac;
}

// The first bytes of TCP and UDP.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    arp_t arp;
    ipv4_t ipv4;
    ipv4_options_t ipv4_options;
    ipv6_t ipv6;
    neighbour_t neighbour;
    ports_t ports;
}

struct metadata_t {
    bit<16> src_port;  // of the flow; 0 without TCP and UDP, and in fragments
    bit<16> dst_port;
}

parser RouterParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            EtherType.IPV4: parse_ipv4;
            EtherType.IPV6: parse_ipv6;
            EtherType.ARP: parse_arp;
            default: accept;
        }
    }

    state parse_arp {
        packet.extract(hdr.arp);
        transition accept;
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.ihl >= 5, error.HeaderTooShort);
        transition select(hdr.ipv4.ihl) {
            5: parse_ipv4_payload;
            default: parse_ipv4_options;
        }
    }

    state parse_ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - 5) * 32);
        transition parse_ipv4_payload;
    }

    // Later fragments have no ports, so no fragment may use them: all take the same path.
    state parse_ipv4_payload {
        transition select(hdr.ipv4.flags[0:0], hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, 0, Protocol.TCP): parse_ports;
            (0, 0, Protocol.UDP): parse_ports;
            default: accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        transition select(hdr.ipv6.next_header) {
            Protocol.TCP: parse_ports;
            Protocol.UDP: parse_ports;
            Protocol.ICMPV6: parse_icmpv6;
            default: accept;
        }
    }

    // Solicitations for an address in use name the asker's MAC address; others need no answer here.
    state parse_icmpv6 {
        transition select(packet.lookahead<bit<8>>(), hdr.ipv6.hop_limit, hdr.ipv6.payload_length) {
            (135, 255, 32): parse_neighbour;
            default: accept;
        }
    }

    state parse_neighbour {
        packet.extract(hdr.neighbour);
        transition accept;
    }

    state parse_ports {
        packet.extract(hdr.ports);
        meta.src_port = hdr.ports.src;
        meta.dst_port = hdr.ports.dst;
        transition accept;
    }
}

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && !hdr.ipv4_options.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
        verify_checksum(hdr.ipv4_options.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst,
              hdr.ipv4_options.options },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control RouterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action_selector(HashAlgorithm.crc32, 8192, 32) ipv4_next_hops;
    action_selector(HashAlgorithm.crc32, 8192, 32) ipv6_next_hops;

    action drop() {
        mark_to_drop(std);
    }

    action forward(mac_t next_hop, port_t port) {
        std.egress_spec = port;
        hdr.ethernet.src = ROUTER_MAC;
        hdr.ethernet.dst = next_hop;
    }

    @route
    table ipv4_routes {
        key = {
            hdr.ipv4.dst: lpm;
            hdr.ipv4.src: selector;
            hdr.ipv4.dst: selector;
            hdr.ipv4.protocol: selector;
            meta.src_port: selector;
            meta.dst_port: selector;
        }
        actions = { forward; drop; }
        const default_action = drop();
        implementation = ipv4_next_hops;
    }

    @route
    table ipv6_routes {
        key = {
            hdr.ipv6.dst: lpm;
            hdr.ipv6.src: selector;
            hdr.ipv6.dst: selector;
            hdr.ipv6.flow_label: selector;
            hdr.ipv6.next_header: selector;
            meta.src_port: selector;
            meta.dst_port: selector;
        }
        actions = { forward; drop; }
        const default_action = drop();
        implementation = ipv6_next_hops;
    }

    action answer_arp() {
        ipv4_address_t asked_for = hdr.arp.target;
        hdr.arp.operation = 2;
        hdr.arp.target_mac = hdr.arp.sender_mac;
        hdr.arp.target = hdr.arp.sender;
        hdr.arp.sender_mac = ROUTER_MAC;
        hdr.arp.sender = asked_for;
        hdr.ethernet.dst = hdr.ethernet.src;
        hdr.ethernet.src = ROUTER_MAC;
        std.egress_spec = std.ingress_port;
    }

    action answer_solicitation() {
        hdr.ipv6.dst = hdr.ipv6.src;
        hdr.ipv6.src = hdr.neighbour.target;
        hdr.neighbour.type = 136;
        hdr.neighbour.flags = 0xe0000000;  // from a router, solicited, override
        hdr.neighbour.option_type = 2;  // the target's link-layer address
        hdr.neighbour.mac = ROUTER_MAC;
        hdr.ethernet.dst = hdr.ethernet.src;
        hdr.ethernet.src = ROUTER_MAC;
        std.egress_spec = std.ingress_port;
    }

    apply {
        if (std.parser_error != error.NoError || std.checksum_error == 1) {
            drop();
        } else if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.ttl <= 1) {
                drop();
            } else {
                ipv4_routes.apply();
                hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            }
        } else if (hdr.neighbour.isValid()) {
            answer_solicitation();
        } else if (hdr.ipv6.isValid()) {
            // Link-local and group addresses stay on their link (RFC 4291, sections 2.5.6 and 2.7).
            if (hdr.ipv6.hop_limit <= 1 || hdr.ipv6.dst[127:118] == 0x3fa || hdr.ipv6.dst[127:120] == 0xff) {
                drop();
            } else {
                ipv6_routes.apply();
                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
            }
        } else if (hdr.arp.isValid() && hdr.arp.operation == 1) {
            answer_arp();
        } else {
            drop();
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply { }
}

control RouterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && !hdr.ipv4_options.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(hdr.ipv4_options.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst,
              hdr.ipv4_options.options },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
        // With the pseudo-header of RFC 8200, section 8.1.
        update_checksum(hdr.neighbour.isValid(),
            { hdr.ipv6.src, hdr.ipv6.dst, 16w0, hdr.ipv6.payload_length, 24w0, hdr.ipv6.next_header,
              hdr.neighbour.type, hdr.neighbour.code, hdr.neighbour.flags, hdr.neighbour.target,
              hdr.neighbour.option_type, hdr.neighbour.option_length, hdr.neighbour.mac },
            hdr.neighbour.checksum, HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.arp);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ipv4_options);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.neighbour);
        packet.emit(hdr.ports);
    }
}

V1Switch(RouterParser(), RouterVerifyChecksum(), RouterIngress(), RouterEgress(), RouterComputeChecksum(),
         RouterDeparser()) main;
