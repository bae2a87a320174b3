/*
 * checksums.p4 - UDP and TCP checksums of packets whose addresses change.
 *
 * The checksum is the complement of a sum of 16-bit words (RFC 1071), among them the addresses. A
 * gateway takes those of one stack out of the sum and puts those of the other in (RFC 1624).
 */

// The carries of a sum of words.
bit<16> fold(in bit<32> sum) {
    bit<32> once = (sum & 0xffff) + (sum >> 16);
    bit<32> twice = (once & 0xffff) + (once >> 16);
    return twice[15:0];
}

// The words of IPv4 addresses.
bit<16> sum_of_addresses(in ipv4_address_t src, in ipv4_address_t dst) {
    return fold((bit<32>) src[31:16] + (bit<32>) src[15:0] + (bit<32>) dst[31:16] + (bit<32>) dst[15:0]);
}

// The word of numbers in Shorternet, as in its header.
bit<16> sum_of_numbers(in id_t src, in id_t dst) {
    return dst ++ src;
}

// A checksum in which one word has the place of another.
bit<16> exchanged(in bit<16> checksum, in bit<16> before, in bit<16> after) {
    return ~fold((bit<32>) ~checksum + (bit<32>) ~before + (bit<32>) after);
}

// The same in a packet's UDP or TCP header.
void exchange(inout headers hdr, in bit<16> before, in bit<16> after) {
    if (hdr.tcp.isValid()) {
        hdr.tcp.checksum = exchanged(hdr.tcp.checksum, before, after);
    } else if (hdr.udp.isValid() && hdr.udp.checksum != 0) {
        // 0 means that there is none, so a computed 0 is written as 0xffff (RFC 768).
        bit<16> sum = exchanged(hdr.udp.checksum, before, after);
        hdr.udp.checksum = sum == 0 ? 16w0xffff : sum;
    }
}
