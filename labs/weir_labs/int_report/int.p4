/*
 * int.p4 - an IPv4 router with in-band network telemetry (INT-MD) and reports to the sender.
 *
 * The source, the first switch of a UDP datagram or TCP segment, puts an INT header and its own hop
 * data between transport header and payload. Each further switch adds hop data; the newest comes
 * first:
 *
 *     Ethernet | IPv4 | UDP or TCP to port 1337 | INT header, 3 bytes | hop data, 12 bytes each | payload
 *
 * The sink, the last switch, restores the packet. A clone of it becomes the report, a UDP datagram:
 * it has the sink's hop data too, but no payload, and goes back to the sender.
 *
 *     IPv4     from the packet's destination to its source; the packet's identification
 *     UDP      from the packet's source port to port 1338, or 1339 if the packet was TCP
 *     INT      number of hops; the packet's destination port
 *
 * Reports, fragments, frames with padding and TCP segments without data pass without telemetry.
 * Hosts cannot send to ports 1337 to 1339: packets there would be taken for telemetry.
 */

#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#include "checksums.p4"

const bit<8> REPORT_TTL = 64;
const bit<32> EGRESS_CLONE = 2;         // instance_type
const bit<8> KEPT_FOR_REPORT = 1;
const bit<32> PORTS = 512;
const bit<32> FLOWS = 4096;

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags[0:0], hdr.ipv4.fragOffset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.ports);
        packet.extract(hdr.udp);
        transition select(standard_metadata.packet_length - ETHERNET_BYTES - (bit<32>) hdr.ipv4.totalLen,
                          hdr.ipv4.totalLen - hdr.udp.length_) {
            (0, IPV4_BYTES): parse_whole;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.ports);
        packet.extract(hdr.tcp);
        transition select(hdr.tcp.dataOffset) {
            0 .. 4: accept;
            default: parse_tcp_options;
        }
    }

    state parse_tcp_options {
        packet.extract(hdr.tcp_options, (bit<32>) (hdr.tcp.dataOffset - 5) * 32);
        meta.tcp_bytes = hdr.ipv4.totalLen - IPV4_BYTES;
        transition select(standard_metadata.packet_length - ETHERNET_BYTES - (bit<32>) hdr.ipv4.totalLen,
                          hdr.ipv4.totalLen - IPV4_BYTES - ((bit<16>) hdr.tcp.dataOffset << 2)) {
            (0, 0): accept;
            (0, _): parse_whole;
            default: accept;
        }
    }

    state parse_whole {
        meta.whole = 1;
        transition select(hdr.ports.dstPort) {
            PORT_INT: parse_telemetry;
            default: accept;
        }
    }

    state parse_telemetry {
        packet.extract(hdr.telemetry);
        packet.extract(hdr.older, (bit<32>) hdr.telemetry.hop_count * 96);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
        // A report must not repeat damaged telemetry. The sums include the checksums, so they are 0.
        verify_checksum_with_payload(
            hdr.telemetry.isValid() && hdr.udp.isValid() && hdr.udp.checksum != 0,
            { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol, hdr.udp.length_,
              hdr.ports.srcPort, hdr.ports.dstPort, hdr.udp.length_, hdr.udp.checksum,
              hdr.telemetry.hop_count, hdr.telemetry.dst_port, hdr.older.hops },
            meta.no_error,
            HashAlgorithm.csum16);
        verify_checksum_with_payload(
            hdr.telemetry.isValid() && hdr.tcp.isValid() && hdr.tcp_options.isValid(),
            { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol,
              meta.tcp_bytes, hdr.ports.srcPort, hdr.ports.dstPort,
              hdr.tcp.seqNo, hdr.tcp.ackNo, hdr.tcp.dataOffset, hdr.tcp.reserved, hdr.tcp.flags,
              hdr.tcp.window, hdr.tcp.checksum, hdr.tcp.urgentPtr, hdr.tcp_options.options,
              hdr.telemetry.hop_count, hdr.telemetry.dst_port, hdr.older.hops },
            meta.no_error,
            HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    register<bit<16>>(FLOWS) left;      // of each flow: packets until the next with telemetry
    bit<1> from_host = 0;
    bit<16> period = 0;
    bit<1> with_tcp = 0;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action ipv4_forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        meta.next_hop = dstAddr;
    }

    @route
    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { ipv4_forward; drop; NoAction; }
        size = 1024;
        default_action = drop();
    }

    // A host is connected here; this switch is the source of every n-th packet of each of its flows:
    // UDP, and TCP if tcp is 1.
    action instrument(bit<16> every, bit<1> tcp) {
        from_host = 1;
        period = every;
        with_tcp = tcp;
    }

    // A host is connected here; its packets pass without telemetry.
    action plain() {
        from_host = 1;
    }

    table edge_ports {
        key = { standard_metadata.ingress_port: exact; }
        actions = { instrument; plain; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    // A host with this address is connected to this switch.
    action sink() {
        meta.sink = 1;
    }

    table sinks {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { sink; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    apply {
        // Packets with options, a wrong checksum, an expired TTL, or less than their headers
        // announce are dropped.
        if (!hdr.ipv4.isValid() || hdr.ipv4.ihl != 5 || hdr.ipv4.ttl <= 1
                || standard_metadata.checksum_error == 1
                || standard_metadata.parser_error != error.NoError) {
            drop();
            return;
        }
        ipv4_lpm.apply();
        edge_ports.apply();
        sinks.apply();
        if (from_host == 1 && hdr.ports.isValid()
                && hdr.ports.dstPort >= PORT_INT && hdr.ports.dstPort <= PORT_TCP_REPORT) {
            drop();
        } else if (period > 0 && hdr.ports.isValid() && meta.whole == 1
                && !hdr.telemetry.isValid() && (hdr.udp.isValid() || with_tcp == 1)
                && hdr.ipv4.totalLen <= MAX_LENGTH - SOURCE_BYTES) {
            bit<32> flow;
            bit<16> count;
            hash(flow, HashAlgorithm.crc32, 32w0,
                { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, hdr.ipv4.protocol,
                  hdr.ports.srcPort, hdr.ports.dstPort },
                FLOWS);
            @atomic {
                left.read(count, flow);
                if (count == 0) {
                    meta.source = 1;
                    count = period;
                }
                left.write(flow, count - 1);
            }
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    register<bit<32>>(PORTS) tx_bytes;  // sent from each port, modulo 2^32
    bit<8> switch_id = 0;
    bit<32> sent = 0;
    SumOfPayload() sum_of_payload;
    SetChecksum() set_checksum;

    action set_source(mac_t srcAddr) {
        hdr.ethernet.srcAddr = srcAddr;
    }

    // The source MAC address of a routed packet is that of its egress port.
    table port_mac {
        key = { standard_metadata.egress_port: exact; }
        actions = { set_source; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    action set_switch_id(bit<8> id) {
        switch_id = id;
    }

    table identity {
        actions = { set_switch_id; }
        default_action = set_switch_id(0);
    }

    action report_to(bit<32> session, mac_t dstAddr) {
        meta.report_session = session;
        meta.report_next_hop = dstAddr;
    }

    // The return path to a packet's sender; no report is sent to others.
    table report_routes {
        key = { hdr.ipv4.srcAddr: lpm; }
        actions = { report_to; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    // Counts a packet that leaves with this many bytes.
    action count(bit<32> bytes) {
        @atomic {
            tx_bytes.read(sent, (bit<32>) standard_metadata.egress_port);
            sent = sent + bytes;
            tx_bytes.write((bit<32>) standard_metadata.egress_port, sent);
        }
    }

    action fill(inout hop_t hop) {
        hop.setValid();
        hop.timestamp = (bit<32>) standard_metadata.egress_global_timestamp;
        hop.tx_bytes = sent;
        hop.queue_length = (bit<16>) standard_metadata.deq_qdepth;
        hop.switch_id = switch_id;
        hop.port = (bit<8>) standard_metadata.egress_port;
    }

    action resize(bit<16> bytes) {
        hdr.ipv4.totalLen = hdr.ipv4.totalLen + bytes;
        if (hdr.udp.isValid()) {
            hdr.udp.length_ = hdr.udp.length_ + bytes;
        }
    }

    // The clone of a restored packet becomes the report.
    action make_report() {
        hdr.telemetry = hdr.kept_telemetry;
        hdr.hop = hdr.kept_hop;
        hdr.older = hdr.kept_older;
        hdr.kept_telemetry.setInvalid();
        hdr.kept_hop.setInvalid();
        hdr.kept_older.setInvalid();
        ipv4_address_t sender = hdr.ipv4.srcAddr;
        hdr.ipv4.srcAddr = hdr.ipv4.dstAddr;
        hdr.ipv4.dstAddr = sender;
        hdr.ipv4.ttl = REPORT_TTL;
        hdr.ports.dstPort = hdr.udp.isValid() ? PORT_REPORT : PORT_TCP_REPORT;
        hdr.ipv4.protocol = PROTOCOL_UDP;
        hdr.tcp.setInvalid();
        hdr.tcp_options.setInvalid();
        hdr.udp.setValid();
        hdr.udp.length_ = UDP_BYTES + INT_BYTES + HOP_BYTES * (bit<16>) hdr.telemetry.hop_count;
        hdr.udp.checksum = 0xffff;      // A report has a checksum even if the datagram had none.
        hdr.ipv4.totalLen = IPV4_BYTES + hdr.udp.length_;
        hdr.ethernet.dstAddr = meta.report_next_hop;
    }

    apply {
        identity.apply();
        bit<32> length = standard_metadata.packet_length;
        if (standard_metadata.instance_type == EGRESS_CLONE
                && hdr.kept_telemetry.isValid() && hdr.kept_hop.isValid() && hdr.ports.isValid()) {
            make_report();
            length = ETHERNET_BYTES + (bit<32>) hdr.ipv4.totalLen;
            truncate(length);
            bit<16> complement;
            hash(complement, HashAlgorithm.csum16, 32w0,
                { hdr.telemetry.hop_count, hdr.telemetry.dst_port,
                  hdr.hop.timestamp, hdr.hop.tx_bytes, hdr.hop.queue_length,
                  hdr.hop.switch_id, hdr.hop.port, hdr.older.hops },
                32w65536);
            set_checksum.apply(hdr, ~complement);
            count(length);
        } else {
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            hdr.ethernet.dstAddr = meta.next_hop;
            bit<16> payload = 0;
            if (hdr.ports.isValid() && (hdr.telemetry.isValid() || meta.source == 1)) {
                sum_of_payload.apply(hdr, payload);
            }
            if (meta.sink == 1 && hdr.telemetry.isValid()) {
                // Restores the packet. All that follows the first byte of the INT header moves by an
                // odd number of bytes.
                bit<16> older;
                hash(older, HashAlgorithm.csum16, 32w0, { hdr.older.hops }, 32w65536);
                bit<16> rest = fold((bit<32>) payload + (bit<32>) ~(hdr.telemetry.hop_count ++ 8w0));
                payload = fold((bit<32>) swap(rest) + (bit<32>) ~hdr.telemetry.dst_port
                    + (bit<32>) older);
                hdr.kept_telemetry = hdr.telemetry;
                hdr.kept_older = hdr.older;
                bit<16> removed = INT_BYTES + HOP_BYTES * (bit<16>) hdr.telemetry.hop_count;
                resize(-removed);
                hdr.ports.dstPort = hdr.telemetry.dst_port;
                hdr.telemetry.setInvalid();
                hdr.older.setInvalid();
                set_checksum.apply(hdr, payload);
                count(length - (bit<32>) removed);
                if (hdr.kept_telemetry.hop_count < MAX_HOPS) {
                    hdr.kept_telemetry.hop_count = hdr.kept_telemetry.hop_count + 1;
                    fill(hdr.kept_hop);
                } else {
                    hdr.kept_telemetry.setInvalid();
                }
            } else if (meta.sink == 1 && meta.source == 1 && hdr.ports.isValid()) {
                // Sender and receiver are connected to the same switch.
                count(length);
                hdr.kept_telemetry.setValid();
                hdr.kept_telemetry.hop_count = 1;
                hdr.kept_telemetry.dst_port = hdr.ports.dstPort;
                hdr.kept_older.setValid();      // It is empty.
                fill(hdr.kept_hop);
            } else if (meta.source == 1 && hdr.ports.isValid()) {
                count(length + (bit<32>) SOURCE_BYTES);
                fill(hdr.hop);
                hdr.telemetry.setValid();
                hdr.telemetry.hop_count = 1;
                hdr.telemetry.dst_port = hdr.ports.dstPort;
                hdr.ports.dstPort = PORT_INT;
                resize(SOURCE_BYTES);
                bit<16> moved = fold((bit<32>) hdr.telemetry.dst_port
                    + (bit<32>) sum_of_hop(hdr.hop) + (bit<32>) payload);
                set_checksum.apply(hdr, fold(0x0100 + (bit<32>) swap(moved)));
            } else if (hdr.telemetry.isValid() && hdr.telemetry.hop_count < MAX_HOPS - 1
                    && hdr.ipv4.totalLen <= MAX_LENGTH - HOP_BYTES) {
                count(length + (bit<32>) HOP_BYTES);
                fill(hdr.hop);
                hdr.telemetry.hop_count = hdr.telemetry.hop_count + 1;
                resize(HOP_BYTES);
                set_checksum.apply(hdr, fold((bit<32>) payload + 0x0100
                    + (bit<32>) swap(sum_of_hop(hdr.hop))));
            } else {
                count(length);
            }
            if (hdr.kept_telemetry.isValid() && report_routes.apply().hit) {
                clone_preserving_field_list(CloneType.E2E, meta.report_session, KEPT_FOR_REPORT);
            }
        }
        port_mac.apply();
    }
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
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
        packet.emit(hdr.udp);
        packet.emit(hdr.tcp);
        packet.emit(hdr.tcp_options);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.hop);
        packet.emit(hdr.older);
    }
}

V1Switch(
    MyParser(),
    MyVerifyChecksum(),
    MyIngress(),
    MyEgress(),
    MyComputeChecksum(),
    MyDeparser()
) main;
