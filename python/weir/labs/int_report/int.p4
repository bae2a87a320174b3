/*
 * int.p4 - an IPv4 router with in-band network telemetry (INT-MD over UDP) and reports to the sender.
 *
 * The source, the first switch of a datagram, puts an INT header and its own hop data between the
 * UDP header and the payload. Each further switch adds hop data; the newest comes first:
 *
 *     Ethernet | IPv4 | UDP to port 1337 | INT header, 3 bytes | hop data, 12 bytes each | payload
 *
 * The sink, the last switch, restores the datagram. A clone of it becomes the report: it has the
 * sink's hop data too, but no payload, and goes back to the sender, at UDP port 1338.
 *
 *     IPv4     from the datagram's destination to its source; the datagram's identification
 *     UDP      from the datagram's source port to port 1338
 *     INT      number of hops; the datagram's destination port
 *
 * Reports, fragments, and frames with padding pass without telemetry. Hosts cannot send to ports
 * 1337 and 1338: packets there would be taken for telemetry.
 */

#include <core.p4>
#include <v1model.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> PORT_INT = 1337;
const bit<16> PORT_REPORT = 1338;
const bit<8> REPORT_TTL = 64;
const bit<8> MAX_HOPS = 255;            // hop_count has 8 bits; the last one is the sink's
const bit<32> EGRESS_CLONE = 2;         // instance_type
const bit<8> KEPT_FOR_REPORT = 1;
const bit<32> PORTS = 512;

// Lengths in bytes.
const bit<32> ETHERNET_BYTES = 14;
const bit<16> IPV4_BYTES = 20;
const bit<16> UDP_BYTES = 8;
const bit<16> INT_BYTES = 3;
const bit<16> HOP_BYTES = 12;
const bit<16> SOURCE_BYTES = 15;        // what the source adds
const bit<16> MAX_LENGTH = 65535;       // of an IPv4 packet

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

header ethernet_t {
    mac_t dstAddr;
    mac_t srcAddr;
    bit<16> etherType;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> diffserv;
    bit<16> totalLen;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragOffset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdrChecksum;
    ipv4_address_t srcAddr;
    ipv4_address_t dstAddr;
}

header udp_t {
    bit<16> srcPort;
    bit<16> dstPort;
    bit<16> length_;
    bit<16> checksum;
}

header int_t {
    bit<8> hop_count;
    bit<16> udp_port;       // destination port of the datagram
}

header hop_t {
    bit<32> timestamp;      // when egress began, in us, the lower 32 bits
    bit<32> tx_bytes;       // sent from the egress port so far, this packet included
    bit<16> queue_length;   // packets left in the egress port's queue
    bit<8> switch_id;
    bit<8> port;            // egress port, the lower 8 bits
}

header older_hops_t {
    varbit<24480> hops;     // 255 hops of 96 bits
}

struct headers {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
    int_t telemetry;
    hop_t hop;
    older_hops_t older;
    // Never sent: what the sink removes from a datagram and its clone, the report, gets back.
    int_t kept_telemetry;
    hop_t kept_hop;
    older_hops_t kept_older;
}

struct metadata {
    bit<1> whole;           // neither a fragment nor padded
    bit<1> source;
    bit<1> sink;
    mac_t next_hop;
    @field_list(KEPT_FOR_REPORT)
    mac_t report_next_hop;
    bit<32> report_session;
    bit<16> no_error;       // always 0: the checksum of data that contains its own checksum
}

// The Internet checksum's arithmetic (RFC 1071): sums of 16-bit words, carries added at the end.
bit<16> fold(in bit<32> sum) {
    bit<32> once = (sum & 0xffff) + (sum >> 16);
    bit<32> twice = (once & 0xffff) + (once >> 16);
    return twice[15:0];
}

// A sum of words that begin at odd offsets.
bit<16> swap(in bit<16> word) {
    return word[7:0] ++ word[15:8];
}

// In a UDP header, checksum 0 means that there is none (RFC 768).
bit<16> udp_checksum(in bit<16> sum) {
    bit<16> checksum = ~sum;
    if (checksum == 0) {
        checksum = 0xffff;
    }
    return checksum;
}

bit<16> sum_of_hop(in hop_t hop) {
    return fold((bit<32>) hop.timestamp[31:16] + (bit<32>) hop.timestamp[15:0]
        + (bit<32>) hop.tx_bytes[31:16] + (bit<32>) hop.tx_bytes[15:0]
        + (bit<32>) hop.queue_length + (bit<32>) (hop.switch_id ++ hop.port));
}

// The sum of UDP's and the pseudo-header's words, without the checksum.
bit<16> sum_of_headers(in ipv4_t ipv4, in udp_t udp) {
    return fold((bit<32>) ipv4.srcAddr[31:16] + (bit<32>) ipv4.srcAddr[15:0]
        + (bit<32>) ipv4.dstAddr[31:16] + (bit<32>) ipv4.dstAddr[15:0]
        + (bit<32>) ipv4.protocol + (bit<32>) udp.length_ + (bit<32>) udp.length_
        + (bit<32>) udp.srcPort + (bit<32>) udp.dstPort);
}

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
        transition select(hdr.ipv4.ihl, hdr.ipv4.protocol, hdr.ipv4.flags[0:0], hdr.ipv4.fragOffset) {
            (5, PROTOCOL_UDP, 0, 0): parse_udp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition select(standard_metadata.packet_length - ETHERNET_BYTES - (bit<32>) hdr.ipv4.totalLen,
                          hdr.ipv4.totalLen - hdr.udp.length_) {
            (0, IPV4_BYTES): parse_whole;
            default: accept;
        }
    }

    state parse_whole {
        meta.whole = 1;
        transition select(hdr.udp.dstPort) {
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
        // A report must not repeat damaged telemetry. The sum includes the checksum, so it is 0.
        verify_checksum_with_payload(
            hdr.telemetry.isValid() && hdr.udp.checksum != 0,
            { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol, hdr.udp.length_,
              hdr.udp.srcPort, hdr.udp.dstPort, hdr.udp.length_, hdr.udp.checksum,
              hdr.telemetry.hop_count, hdr.telemetry.udp_port, hdr.older.hops },
            meta.no_error,
            HashAlgorithm.csum16);
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    bit<1> from_host = 0;

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

    // A host is connected here; this switch is the source of its datagrams.
    action instrument() {
        from_host = 1;
        meta.source = 1;
    }

    // A host is connected here; its datagrams pass without telemetry.
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
        if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5 && hdr.ipv4.ttl > 1
                && standard_metadata.checksum_error == 0
                && standard_metadata.parser_error == error.NoError) {
            ipv4_lpm.apply();
            edge_ports.apply();
            sinks.apply();
            if (meta.whole == 0 || hdr.telemetry.isValid()
                    || hdr.ipv4.totalLen > MAX_LENGTH - SOURCE_BYTES) {
                meta.source = 0;
            }
            if (from_host == 1 && hdr.udp.isValid()
                    && (hdr.udp.dstPort == PORT_INT || hdr.udp.dstPort == PORT_REPORT)) {
                drop();
            }
        } else {
            drop();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    register<bit<32>>(PORTS) tx_bytes;  // sent from each port, modulo 2^32
    bit<8> switch_id = 0;
    bit<32> sent = 0;

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

    // The way back to a datagram's sender; no report is sent to others.
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

    action grow(bit<16> bytes) {
        hdr.ipv4.totalLen = hdr.ipv4.totalLen + bytes;
        hdr.udp.length_ = hdr.udp.length_ + bytes;
    }

    // The clone of a restored datagram becomes the report.
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
        hdr.udp.length_ = UDP_BYTES + INT_BYTES + HOP_BYTES * (bit<16>) hdr.telemetry.hop_count;
        hdr.ipv4.totalLen = IPV4_BYTES + hdr.udp.length_;
        hdr.udp.dstPort = PORT_REPORT;
        hdr.ethernet.dstAddr = meta.report_next_hop;
    }

    apply {
        identity.apply();
        bit<32> length = standard_metadata.packet_length;
        if (standard_metadata.instance_type == EGRESS_CLONE
                && hdr.kept_telemetry.isValid() && hdr.kept_hop.isValid() && hdr.udp.isValid()) {
            make_report();
            length = ETHERNET_BYTES + (bit<32>) hdr.ipv4.totalLen;
            truncate(length);
            bit<16> checksum;
            hash(checksum, HashAlgorithm.csum16, 32w0,
                { hdr.ipv4.srcAddr, hdr.ipv4.dstAddr, 8w0, hdr.ipv4.protocol, hdr.udp.length_,
                  hdr.udp.srcPort, hdr.udp.dstPort, hdr.udp.length_,
                  hdr.telemetry.hop_count, hdr.telemetry.udp_port,
                  hdr.hop.timestamp, hdr.hop.tx_bytes, hdr.hop.queue_length,
                  hdr.hop.switch_id, hdr.hop.port, hdr.older.hops },
                32w65536);
            hdr.udp.checksum = udp_checksum(~checksum);
            count(length);
        } else {
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
            hdr.ethernet.dstAddr = meta.next_hop;
            if (meta.sink == 1 && hdr.telemetry.isValid()) {
                // Restores the datagram, and its checksum from that of the instrumented one: all
                // that follows the first byte of the INT header moves by an odd number of bytes.
                bit<16> older;
                hash(older, HashAlgorithm.csum16, 32w0, { hdr.older.hops }, 32w65536);
                bit<16> rest = fold((bit<32>) ~hdr.udp.checksum
                    + (bit<32>) ~sum_of_headers(hdr.ipv4, hdr.udp)
                    + (bit<32>) ~(hdr.telemetry.hop_count ++ 8w0));
                bit<16> payload = fold((bit<32>) swap(rest) + (bit<32>) ~hdr.telemetry.udp_port
                    + (bit<32>) older);
                hdr.kept_telemetry = hdr.telemetry;
                hdr.kept_older = hdr.older;
                bit<16> removed = INT_BYTES + HOP_BYTES * (bit<16>) hdr.telemetry.hop_count;
                hdr.ipv4.totalLen = hdr.ipv4.totalLen - removed;
                hdr.udp.length_ = hdr.udp.length_ - removed;
                hdr.udp.dstPort = hdr.telemetry.udp_port;
                hdr.telemetry.setInvalid();
                hdr.older.setInvalid();
                if (hdr.udp.checksum != 0) {
                    hdr.udp.checksum = udp_checksum(fold(
                        (bit<32>) sum_of_headers(hdr.ipv4, hdr.udp) + (bit<32>) payload));
                }
                count(length - (bit<32>) removed);
                if (hdr.kept_telemetry.hop_count < MAX_HOPS) {
                    hdr.kept_telemetry.hop_count = hdr.kept_telemetry.hop_count + 1;
                    fill(hdr.kept_hop);
                } else {
                    hdr.kept_telemetry.setInvalid();
                }
            } else if (meta.sink == 1 && meta.source == 1 && hdr.udp.isValid()) {
                // Sender and receiver are connected to the same switch.
                count(length);
                hdr.kept_telemetry.setValid();
                hdr.kept_telemetry.hop_count = 1;
                hdr.kept_telemetry.udp_port = hdr.udp.dstPort;
                fill(hdr.kept_hop);
            } else if (meta.source == 1 && hdr.udp.isValid()) {
                bit<16> payload = fold((bit<32>) ~hdr.udp.checksum
                    + (bit<32>) ~sum_of_headers(hdr.ipv4, hdr.udp));
                count(length + (bit<32>) SOURCE_BYTES);
                fill(hdr.hop);
                hdr.telemetry.setValid();
                hdr.telemetry.hop_count = 1;
                hdr.telemetry.udp_port = hdr.udp.dstPort;
                hdr.udp.dstPort = PORT_INT;
                grow(SOURCE_BYTES);
                if (hdr.udp.checksum != 0) {
                    bit<16> moved = fold((bit<32>) hdr.telemetry.udp_port
                        + (bit<32>) sum_of_hop(hdr.hop) + (bit<32>) payload);
                    hdr.udp.checksum = udp_checksum(fold(
                        (bit<32>) sum_of_headers(hdr.ipv4, hdr.udp) + 0x0100 + (bit<32>) swap(moved)));
                }
            } else if (hdr.telemetry.isValid() && hdr.telemetry.hop_count < MAX_HOPS - 1
                    && hdr.ipv4.totalLen <= MAX_LENGTH - HOP_BYTES) {
                count(length + (bit<32>) HOP_BYTES);
                fill(hdr.hop);
                hdr.telemetry.hop_count = hdr.telemetry.hop_count + 1;
                grow(HOP_BYTES);
                if (hdr.udp.checksum != 0) {
                    // One hop more in the count's byte; the length counts twice.
                    hdr.udp.checksum = udp_checksum(fold((bit<32>) ~hdr.udp.checksum + 0x0100
                        + 2 * (bit<32>) HOP_BYTES + (bit<32>) swap(sum_of_hop(hdr.hop))));
                }
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
        packet.emit(hdr.udp);
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
