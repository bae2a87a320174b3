/*
 * checksums.p4 - UDP and TCP checksums of packets that grow and shrink.
 *
 * The Internet checksum (RFC 1071) is the complement of a sum of 16-bit words. A switch adds the
 * words that it inserts or changes, and subtracts those that were there before (RFC 1624). It never
 * reads the payload, so a packet that was damaged on its way still has a wrong checksum at its
 * receiver. All that INT inserts has an even number of bytes, so the words of the payload stay words.
 */

// The carries of a sum of words.
bit<16> fold(in bit<32> sum) {
    bit<32> once = (sum & 0xffff) + (sum >> 16);
    bit<32> twice = (once & 0xffff) + (once >> 16);
    return twice[15:0];
}

bit<32> sum32(in bit<32> word) {
    return (bit<32>) word[31:16] + (bit<32>) word[15:0];
}

bit<32> sum64(in bit<64> word) {
    return sum32(word[63:32]) + sum32(word[31:0]);
}

// The words that a hop adds. Words of ones, the reserved value, add nothing.
control SumOfHop(in hop_t hop, inout bit<32> sum) {
    apply {
        if (hop.node.isValid()) { sum = sum + sum32(hop.node.id); }
        if (hop.interfaces.isValid()) {
            sum = sum + (bit<32>) hop.interfaces.ingress + (bit<32>) hop.interfaces.egress;
        }
        if (hop.latency.isValid()) { sum = sum + sum32(hop.latency.us); }
        if (hop.queue.isValid()) { sum = sum + sum32(hop.queue.id ++ hop.queue.occupancy); }
        if (hop.ingress_time.isValid()) { sum = sum + sum64(hop.ingress_time.us); }
        if (hop.egress_time.isValid()) { sum = sum + sum64(hop.egress_time.us); }
        if (hop.logical.isValid()) { sum = sum + sum32(hop.logical.ingress) + sum32(hop.logical.egress); }
        if (hop.utilization.isValid()) { sum = sum + sum32(hop.utilization.ppm); }
        if (hop.buffer.isValid()) { sum = sum + sum32(hop.buffer.id ++ hop.buffer.occupancy); }
        if (hop.complement.isValid()) {
            sum = sum + (bit<32>) hop.complement.high + (bit<32>) hop.complement.low;
        }
    }
}

// All words under the UDP or TCP checksum that INT changes: lengths, port, and INT headers.
control SumOfInt(in packet_t packet, out bit<16> sum) {
    SumOfHop() sum_of_hop;

    apply {
        bit<32> words = 0;
        if (packet.udp.isValid()) {
            // The pseudo-header contains the length, too.
            words = (bit<32>) packet.udp.length_ + (bit<32>) packet.udp.length_
                + (bit<32>) packet.udp.dstPort;
        } else if (packet.ipv4.isValid()) {
            words = (bit<32>) (packet.ipv4.totalLen - IPV4_BYTES);
        }
        bit<16> complement;
        if (packet.shim.isValid()) {
            words = words + (bit<32>) (packet.shim.kind ++ packet.shim.npt ++ packet.shim.reserved
                ++ packet.shim.length_) + (bit<32>) packet.shim.original;
        }
        if (packet.md.isValid()) {
            hash(complement, HashAlgorithm.csum16, 32w0,
                { packet.md.version, packet.md.discard, packet.md.hops_exceeded,
                  packet.md.mtu_exceeded, packet.md.reserved, packet.md.hop_ml,
                  packet.md.remaining_hops, packet.md.instructions, packet.md.domain,
                  packet.md.ds_instructions, packet.md.ds_flags },
                32w65536);
            words = words + (bit<32>) ~complement;
        }
        if (packet.mx.isValid()) {
            hash(complement, HashAlgorithm.csum16, 32w0,
                { packet.mx.version, packet.mx.discard, packet.mx.reserved,
                  packet.mx.instructions, packet.mx.domain, packet.mx.ds_instructions,
                  packet.mx.ds_flags },
                32w65536);
            words = words + (bit<32>) ~complement;
        }
        if (packet.stack.isValid()) {
            hash(complement, HashAlgorithm.csum16, 32w0, { packet.stack.words }, 32w65536);
            words = words + (bit<32>) ~complement;
        }
        sum_of_hop.apply(packet.hop, words);
        sum = fold(words);
    }
}

// Writes the checksum of a packet in which such words have changed. With checksum complement, this
// node's metadata make up for the change instead. A UDP datagram without a checksum stays without one.
control SetChecksum(inout packet_t packet, in bit<16> before, in bit<16> after) {
    apply {
        bit<16> change = fold((bit<32>) after + (bit<32>) ~before);
        if (packet.hop.complement.isValid() && !(packet.udp.isValid() && packet.udp.checksum == 0)) {
            packet.hop.complement.low = ~change;
        } else if (packet.hop.complement.isValid()) {
            packet.hop.complement.high = 0xffff;
            packet.hop.complement.low = 0xffff;
        } else if (packet.tcp.isValid()) {
            packet.tcp.checksum = ~fold((bit<32>) ~packet.tcp.checksum + (bit<32>) change);
        } else if (packet.udp.isValid() && packet.udp.checksum != 0) {
            bit<16> checksum = ~fold((bit<32>) ~packet.udp.checksum + (bit<32>) change);
            // 0 means that there is none, so a computed 0 is written as 0xffff (RFC 768).
            packet.udp.checksum = checksum == 0 ? 16w0xffff : checksum;
        }
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(
            hdr.packet.ipv4.isValid(),
            { hdr.packet.ipv4.version, hdr.packet.ipv4.ihl, hdr.packet.ipv4.dscp, hdr.packet.ipv4.ecn,
              hdr.packet.ipv4.totalLen, hdr.packet.ipv4.identification, hdr.packet.ipv4.flags,
              hdr.packet.ipv4.fragOffset, hdr.packet.ipv4.ttl, hdr.packet.ipv4.protocol,
              hdr.packet.ipv4.srcAddr, hdr.packet.ipv4.dstAddr },
            hdr.packet.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(
            hdr.packet.ipv4.isValid(),
            { hdr.packet.ipv4.version, hdr.packet.ipv4.ihl, hdr.packet.ipv4.dscp, hdr.packet.ipv4.ecn,
              hdr.packet.ipv4.totalLen, hdr.packet.ipv4.identification, hdr.packet.ipv4.flags,
              hdr.packet.ipv4.fragOffset, hdr.packet.ipv4.ttl, hdr.packet.ipv4.protocol,
              hdr.packet.ipv4.srcAddr, hdr.packet.ipv4.dstAddr },
            hdr.packet.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
        update_checksum(
            hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.totalLen,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragOffset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.srcAddr, hdr.ipv4.dstAddr },
            hdr.ipv4.hdrChecksum,
            HashAlgorithm.csum16);
    }
}
