/* parser.p4 - the headers that the firewall reads, and the checks of these headers. */

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        transition select(standard_metadata.ingress_port) {
            CPU_PORT: parse_from_controller;
            default: parse_ethernet;
        }
    }

    state parse_from_controller {
        packet.extract(hdr.from_controller);
        transition accept;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    // What follows a header with options, or in a fragment, is not read: it may be anything.
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.moreFragments, hdr.ipv4.fragOffset,
                          hdr.ipv4.protocol) {
            (4, 5, 0, 0, PROTOCOL_TCP): parse_tcp;
            (4, 5, 0, 0, PROTOCOL_UDP): parse_udp;
            (4, 5, 0, 0, PROTOCOL_ICMP): parse_icmp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition accept;
    }

    state parse_icmp {
        packet.extract(hdr.icmp);
        transition accept;
    }
}

/*
 * Sets `reason` to REASONS if the packet is IPv4 as it should be, else to why it is refused. No
 * field is read before its header is known to be there.
 */
control Sanity(in headers hdr,
               inout metadata meta,
               in standard_metadata_t standard_metadata,
               out bit<32> reason) {
    apply {
        reason = REASONS;
        if (!hdr.ipv4.isValid()) {
            reason = MALFORMED;
            if (hdr.ethernet.isValid()) {
                if (hdr.ethernet.etherType != TYPE_IPV4) {
                    reason = NOT_IPV4;
                }
            }
        } else if (hdr.ipv4.version != 4 || hdr.ipv4.ihl < 5) {
            reason = MALFORMED;
        } else if (hdr.ipv4.ihl > 5) {
            reason = OPTIONS;
        } else if (standard_metadata.checksum_error == 1 || hdr.ipv4.reserved == 1
                   || hdr.ipv4.totalLen < 20
                   || (bit<32>)hdr.ipv4.totalLen + 14 > standard_metadata.packet_length) {
            reason = MALFORMED;
        } else if (hdr.ipv4.moreFragments == 1 || hdr.ipv4.fragOffset != 0) {
            reason = FRAGMENT;
        } else if (hdr.ipv4.ttl <= 1) {
            reason = EXPIRED;
        } else if (hdr.ipv4.protocol == PROTOCOL_TCP) {
            if (!hdr.tcp.isValid()) {
                reason = MALFORMED;
            } else {
                bit<16> tcp_bytes = (bit<16>)hdr.tcp.dataOffset << 2;
                bit<3> begins_or_ends = hdr.tcp.syn ++ hdr.tcp.fin ++ hdr.tcp.rst;
                // A segment has ACK, or is the first or the last of a connection; never both of these.
                if (hdr.tcp.dataOffset < 5 || tcp_bytes > hdr.ipv4.totalLen - 20
                    || (hdr.tcp.ack == 0 && begins_or_ends != 0b100 && begins_or_ends != 0b001)
                    || (hdr.tcp.syn == 1 && begins_or_ends != 0b100)) {
                    reason = MALFORMED;
                }
                meta.srcPort = hdr.tcp.srcPort;
                meta.dstPort = hdr.tcp.dstPort;
            }
        } else if (hdr.ipv4.protocol == PROTOCOL_UDP) {
            if (!hdr.udp.isValid()) {
                reason = MALFORMED;
            } else {
                if (hdr.udp.length_ < 8 || hdr.udp.length_ != hdr.ipv4.totalLen - 20) {
                    reason = MALFORMED;
                }
                meta.srcPort = hdr.udp.srcPort;
                meta.dstPort = hdr.udp.dstPort;
            }
        } else if (hdr.ipv4.protocol == PROTOCOL_ICMP) {
            if (!hdr.icmp.isValid() || hdr.ipv4.totalLen < 28) {
                reason = MALFORMED;
            }
        } else {
            reason = PROTOCOL;
        }
    }
}
