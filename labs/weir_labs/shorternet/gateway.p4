/*
 * gateway.p4 - a switch between Shorternet and Ethernet with IPv4.
 *
 * Each port is of one kind, and each host has a number in Shorternet and an IPv4 address; tables map
 * one to the other. A packet that leaves at a port of the other kind is translated:
 *
 *     Ethernet 14 | IPv4 20 | UDP, TCP or ICMP echo | ...   <->   Shorternet 4 | the same | ...
 *
 * UDP and TCP checksums include the addresses of IPv4; in Shorternet they include both numbers in
 * their place. A gateway exchanges these words in the sum (RFC 1624), and never reads the payload: a
 * packet that was damaged on its way is still damaged at its receiver.
 *
 * What cannot be translated is refused, and counted by reason.
 */

#include <core.p4>
#include <v1model.p4>

#include "headers.p4"
#include "refusals.p4"

const bit<8> ICMP_ECHO = 8;
const bit<8> ICMP_ECHO_REPLY = 0;
const bit<3> DONT_FRAGMENT = 2;
const bit<16> IPV4_BYTES = 20;
const bit<32> ETHERNET_BYTES = 14;
const bit<32> SHORTERNET_BYTES = 4;

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    shorternet_t shorternet;
    udp_t udp;
    tcp_t tcp;
    icmp_t icmp;
}

struct metadata {
    bit<16> data_bytes;         // behind the IPv4 or Shorternet header
    id_t src;                   // the sender in Shorternet
    ipv4_address_t srcAddr;     // the sender in IPv4
    bit<1> refused;
}

#include "checksums.p4"

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    value_set<port_t>(64) shorternet_ports;

    state start {
        transition select(standard_metadata.ingress_port) {
            shorternet_ports: parse_shorternet;
            default: parse_ethernet;
        }
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.flags & 1, hdr.ipv4.fragOffset,
                          hdr.ipv4.protocol) {
            (4, 5, 0, 0, PROTOCOL_ICMP): parse_icmp;
            (4, 5, 0, 0, PROTOCOL_TCP): parse_tcp;
            (4, 5, 0, 0, PROTOCOL_UDP): parse_udp;
            default: accept;
        }
    }

    state parse_shorternet {
        packet.extract(hdr.shorternet);
        transition select(hdr.shorternet.protocol) {
            PROTOCOL_ICMP: parse_icmp;
            PROTOCOL_TCP: parse_tcp;
            PROTOCOL_UDP: parse_udp;
            default: accept;
        }
    }

    state parse_icmp {
        packet.extract(hdr.icmp);
        transition accept;
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    counter(REASONS, CounterType.packets) refused;      // by reason
    counter(2, CounterType.packets) translated;         // 0 to Shorternet, 1 to Ethernet

    action refuse(bit<32> reason) {
        refused.count(reason);
        meta.refused = 1;
        mark_to_drop(standard_metadata);
    }

    // Towards the receiver, from a Shorternet port.

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
        hdr.shorternet.ttl = hdr.shorternet.ttl - 1;
    }

    action to_ethernet(port_t port, ipv4_address_t address, mac_t srcMac, mac_t dstMac, bit<16> mtu) {
        if (meta.data_bytes > mtu - IPV4_BYTES) {
            refuse(TOO_LONG);
        } else {
            standard_metadata.egress_spec = port;
            exchange(hdr, sum_of_numbers(hdr.shorternet.src, hdr.shorternet.dst),
                     sum_of_addresses(meta.srcAddr, address));
            hdr.ethernet.setValid();
            hdr.ethernet = { dstMac, srcMac, TYPE_IPV4 };
            hdr.ipv4.setValid();
            hdr.ipv4 = { 4, 5, 0, IPV4_BYTES + meta.data_bytes, 0, DONT_FRAGMENT, 0,
                         hdr.shorternet.ttl - 1, hdr.shorternet.protocol, 0, meta.srcAddr, address };
            hdr.shorternet.setInvalid();
            translated.count(1);
        }
    }

    action sender_address(ipv4_address_t address) {
        meta.srcAddr = address;
    }

    table numbers {
        key = { hdr.shorternet.dst: exact; }
        actions = { forward; to_ethernet; refuse; }
        size = 256;
        const default_action = refuse(UNKNOWN_TARGET);
    }

    table sender_numbers {
        key = { hdr.shorternet.src: exact; }
        actions = { sender_address; refuse; }
        size = 256;
        const default_action = refuse(UNKNOWN_SOURCE);
    }

    // Towards the receiver, from an Ethernet port.

    action route(port_t port, mac_t srcMac, mac_t dstMac) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = srcMac;
        hdr.ethernet.dstAddr = dstMac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    action to_shorternet(port_t port, id_t number) {
        standard_metadata.egress_spec = port;
        exchange(hdr, sum_of_addresses(hdr.ipv4.srcAddr, hdr.ipv4.dstAddr),
                 sum_of_numbers(meta.src, number));
        hdr.shorternet.setValid();
        hdr.shorternet = { number, meta.src, hdr.ipv4.protocol, hdr.ipv4.ttl - 1 };
        hdr.ethernet.setInvalid();
        hdr.ipv4.setInvalid();
        // Without what pads a short Ethernet frame.
        truncate(SHORTERNET_BYTES + (bit<32>) meta.data_bytes);
        translated.count(0);
    }

    action sender_number(id_t number) {
        meta.src = number;
    }

    table addresses {
        key = { hdr.ipv4.dstAddr: exact; }
        actions = { route; to_shorternet; refuse; }
        size = 1024;
        const default_action = refuse(UNKNOWN_TARGET);
    }

    table sender_addresses {
        key = { hdr.ipv4.srcAddr: exact; }
        actions = { sender_number; refuse; }
        size = 1024;
        const default_action = refuse(UNKNOWN_SOURCE);
    }

    // What both directions need of the headers behind, in so many bytes.
    action check_data(bit<8> protocol) {
        if (!hdr.udp.isValid() && !hdr.tcp.isValid() && !hdr.icmp.isValid()) {
            refuse(protocol == PROTOCOL_ICMP || protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP
                   ? BAD_LENGTH : PROTOCOL);
        } else if (hdr.udp.isValid() && hdr.udp.length_ != meta.data_bytes) {
            refuse(BAD_LENGTH);
        } else if (hdr.icmp.isValid() && hdr.icmp.type != ICMP_ECHO && hdr.icmp.type != ICMP_ECHO_REPLY) {
            refuse(ICMP_ERROR);
        }
    }

    apply {
        if (hdr.shorternet.isValid()) {
            meta.data_bytes = (bit<16>) (standard_metadata.packet_length - SHORTERNET_BYTES);
            if (hdr.shorternet.ttl <= 1) {
                refuse(EXPIRED);
            } else {
                check_data(hdr.shorternet.protocol);
                if (meta.refused == 0) {
                    sender_numbers.apply();
                }
                if (meta.refused == 0) {
                    numbers.apply();
                }
            }
        } else if (!hdr.ipv4.isValid()) {
            refuse(NO_HEADER);
        } else if (hdr.ipv4.version != 4 || hdr.ipv4.ihl != 5) {
            refuse(OPTIONS);
        } else if (standard_metadata.checksum_error == 1) {
            refuse(BAD_CHECKSUM);
        } else if (hdr.ipv4.totalLen < IPV4_BYTES
                || (bit<32>) hdr.ipv4.totalLen > standard_metadata.packet_length - ETHERNET_BYTES) {
            refuse(BAD_LENGTH);
        } else if (hdr.ipv4.flags[0:0] == 1 || hdr.ipv4.fragOffset != 0) {
            refuse(FRAGMENT);
        } else if (hdr.ipv4.ttl <= 1) {
            refuse(EXPIRED);
        } else {
            meta.data_bytes = hdr.ipv4.totalLen - IPV4_BYTES;
            check_data(hdr.ipv4.protocol);
            if (meta.refused == 0) {
                sender_addresses.apply();
            }
            if (meta.refused == 0) {
                addresses.apply();
            }
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply { }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
