/* report.p4 - telemetry reports, in the format of version 2.0. */

const bit<8> REPORT_TTL = 64;
const bit<4> REPORT_INT = 1;            // RepType
const bit<4> INNER_IPV4 = 4;            // InType
const bit<3> DONT_FRAGMENT = 2;

// The report's own headers, for the clone of this packet. Metadata that this node does not have are
// left out, as is the node's id, which all reports have.
control Prepare(inout headers hdr, in metadata meta) {
    Collect() collect;

    apply {
        bit<16> domain = 0;
        if (hdr.received.md.isValid()) {
            domain = hdr.received.md.domain;
        } else if (hdr.received.mx.isValid()) {
            domain = hdr.received.mx.domain;
        }
        bit<16> bits = meta.report_bits & meta.local.available & ~BIT_NODE;
        collect.apply(hdr.prepared.hop, meta.local, bits);
        hdr.prepared.individual.setValid();
        hdr.prepared.individual.kind = REPORT_INT;
        hdr.prepared.individual.inner = INNER_IPV4;
        hdr.prepared.individual.length_ = 0;          // known when the report is made
        hdr.prepared.individual.metadata_length = words_of(bits);
        hdr.prepared.individual.dropped = 0;
        hdr.prepared.individual.congested = 0;
        hdr.prepared.individual.tracked = 1;
        hdr.prepared.individual.intermediate = 0;
        hdr.prepared.individual.reserved = 0;
        hdr.prepared.individual.bits = bits;
        hdr.prepared.individual.domain = domain;
        hdr.prepared.individual.ds_bits = 0;
        hdr.prepared.individual.ds_status = 0;
    }
}

// The bytes of a packet up to the end of its last header.
bit<16> header_bytes(in packet_t packet) {
    bit<16> bytes = IPV4_BYTES;
    if (packet.udp.isValid()) {
        bytes = bytes + UDP_BYTES;
    } else if (packet.tcp.isValid() && packet.tcp_options.isValid()) {
        bytes = bytes + ((bit<16>) packet.tcp.dataOffset << 2);
    }
    if (packet.shim.isValid()) {
        bytes = bytes + SHIM_BYTES + ((bit<16>) packet.shim.length_ << 2);
    }
    return bytes;
}

// Makes a report of a clone.
control Report(inout headers hdr, in metadata meta) {
    register<bit<32>>(1) sequence_number;

    apply {
        // The packet's headers, and whole words of its payload.
        bit<16> inner = header_bytes(hdr.received);
        bit<16> payload = hdr.received.ipv4.totalLen |-| inner;
        if (payload > meta.collector.payload) {
            payload = meta.collector.payload;
        }
        inner = inner + (payload & 0xfffc);
        bit<16> words = (bit<16>) (MAIN_WORDS + hdr.prepared.individual.metadata_length) + (inner >> 2);
        // 255 stands for all lengths from 255 on.
        hdr.prepared.individual.length_ = words >= 255 ? 8w255 : words[7:0];
        hdr.report = hdr.prepared;
        hdr.packet = hdr.received;
        hdr.words = hdr.received_words;
        hdr.rest = hdr.received_rest;

        bit<32> number;
        @atomic {
            sequence_number.read(number, 0);
            sequence_number.write(0, number + 1);
        }
        hdr.group.setValid();
        hdr.group.version = REPORT_VERSION;
        hdr.group.hw_id = meta.collector.hw_id;
        hdr.group.sequence = number[21:0];
        hdr.group.node = meta.local.node;

        hdr.udp.setValid();
        hdr.udp.srcPort = meta.collector.src_port;
        hdr.udp.dstPort = meta.collector.dst_port;
        hdr.udp.length_ = UDP_BYTES + GROUP_BYTES + 4 + (words << 2);
        hdr.udp.checksum = 0;
        hdr.ipv4.setValid();
        hdr.ipv4.version = 4;
        hdr.ipv4.ihl = 5;
        hdr.ipv4.dscp = 0;
        hdr.ipv4.ecn = 0;
        hdr.ipv4.totalLen = IPV4_BYTES + hdr.udp.length_;
        hdr.ipv4.identification = 0;
        hdr.ipv4.flags = DONT_FRAGMENT;
        hdr.ipv4.fragOffset = 0;
        hdr.ipv4.ttl = REPORT_TTL;
        hdr.ipv4.protocol = PROTOCOL_UDP;
        hdr.ipv4.hdrChecksum = 0;
        hdr.ipv4.srcAddr = meta.collector.node;
        hdr.ipv4.dstAddr = meta.collector.address;
        hdr.ethernet.etherType = TYPE_IPV4;
        hdr.ethernet.dstAddr = meta.collector.next_hop;
        truncate((bit<32>) (ETHERNET_BYTES + hdr.ipv4.totalLen));
    }
}
