/*
 * checksums.p4 - UDP and TCP checksums of packets that grow and shrink.
 *
 * The Internet checksum (RFC 1071) is the complement of a sum of 16-bit words. A switch adds what it
 * inserts to the sum that the old checksum stands for (RFC 1624), and never reads the payload: a
 * packet that was damaged on its way still has a wrong checksum at its receiver.
 */

// The carries of a sum of words.
bit<16> fold(in bit<32> sum) {
    bit<32> once = (sum & 0xffff) + (sum >> 16);
    bit<32> twice = (once & 0xffff) + (once >> 16);
    return twice[15:0];
}

// A sum of words that begin at odd offsets.
bit<16> swap(in bit<16> word) {
    return word[7:0] ++ word[15:8];
}

bit<16> sum_of_hop(in hop_t hop) {
    return fold((bit<32>) hop.timestamp[31:16] + (bit<32>) hop.timestamp[15:0]
        + (bit<32>) hop.tx_bytes[31:16] + (bit<32>) hop.tx_bytes[15:0]
        + (bit<32>) hop.queue_length + (bit<32>) (hop.switch_id ++ hop.port));
}

// The words of the transport header and of its pseudo-header (RFC 768, RFC 9293), without the
// checksum.
control SumOfHeaders(in headers hdr, out bit<16> sum) {
    apply {
        bit<16> rest = 0;
        if (hdr.udp.isValid()) {
            rest = hdr.udp.length_;
        } else if (hdr.tcp.isValid() && hdr.tcp_options.isValid()) {
            bit<16> complement;
            hash(complement, HashAlgorithm.csum16, 32w0,
                { hdr.tcp.seqNo, hdr.tcp.ackNo, hdr.tcp.dataOffset, hdr.tcp.reserved, hdr.tcp.flags,
                  hdr.tcp.window, hdr.tcp.urgentPtr, hdr.tcp_options.options },
                32w65536);
            rest = ~complement;
        }
        sum = fold((bit<32>) hdr.ipv4.srcAddr[31:16] + (bit<32>) hdr.ipv4.srcAddr[15:0]
            + (bit<32>) hdr.ipv4.dstAddr[31:16] + (bit<32>) hdr.ipv4.dstAddr[15:0]
            + (bit<32>) hdr.ipv4.protocol + (bit<32>) (hdr.ipv4.totalLen - IPV4_BYTES)
            + (bit<32>) hdr.ports.srcPort + (bit<32>) hdr.ports.dstPort + (bit<32>) rest);
    }
}

// The words of all that follows the transport header, from the checksum.
control SumOfPayload(in headers hdr, out bit<16> payload) {
    SumOfHeaders() of_headers;

    apply {
        bit<16> headers_sum;
        of_headers.apply(hdr, headers_sum);
        bit<16> checksum = 0;
        if (hdr.udp.isValid()) {
            checksum = hdr.udp.checksum;
        } else if (hdr.tcp.isValid()) {
            checksum = hdr.tcp.checksum;
        }
        payload = fold((bit<32>) ~checksum + (bit<32>) ~headers_sum);
    }
}

// Writes the checksum for such a payload. A UDP datagram without a checksum stays without one.
control SetChecksum(inout headers hdr, in bit<16> payload) {
    SumOfHeaders() of_headers;

    apply {
        bit<16> headers_sum;
        of_headers.apply(hdr, headers_sum);
        bit<16> checksum = ~fold((bit<32>) headers_sum + (bit<32>) payload);
        if (hdr.tcp.isValid()) {
            hdr.tcp.checksum = checksum;
        } else if (hdr.udp.isValid() && hdr.udp.checksum != 0) {
            // 0 means that there is none, so a computed 0 is written as 0xffff (RFC 768).
            hdr.udp.checksum = checksum == 0 ? 16w0xffff : checksum;
        }
    }
}
