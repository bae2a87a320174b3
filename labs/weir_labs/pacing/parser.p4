/* parser.p4 - finds the option of the scheme among the IPv4 options of a packet. */

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
        meta.option_bytes = ((bit<8>) hdr.ipv4.ihl - 5) << 2;
        transition select(hdr.ipv4.ihl) {
            0 .. 4: accept;
            default: next_option;
        }
    }

    state next_option {
        transition select(meta.option_bytes) {
            0: after_options;
            default: look_at_option;
        }
    }

    // After the end of the list there is only padding. So many options are of no interest.
    state look_at_option {
        transition select(packet.lookahead<bit<8>>(), meta.others, meta.option_bytes) {
            (OPTION_END, _, _): rest;
            (_, MAX_OTHERS, _): rest;
            (OPTION_NOP, _, _): one_byte;
            (_, _, 1): rest;
            default: look_at_length;
        }
    }

    state one_byte {
        packet.extract(hdr.others.next, 8);
        meta.others = meta.others + 1;
        meta.option_bytes = meta.option_bytes - 1;
        transition next_option;
    }

    // An option with a wrong length hides what follows it.
    state look_at_length {
        bit<16> begin = packet.lookahead<bit<16>>();
        transition select(begin[7:0] >= 2 && begin[7:0] <= meta.option_bytes, begin) {
            (false, _): rest;
            (true, OPTION_PACE ++ 8w4): pace;
            (true, OPTION_PACE ++ 8w12): pace;
            (true, OPTION_PACE ++ 8w20): pace;
            (true, OPTION_PACE ++ 8w28): pace;
            (true, OPTION_PACE ++ 8w36): pace;
            default: other;
        }
    }

    state other {
        bit<16> begin = packet.lookahead<bit<16>>();
        packet.extract(hdr.others.next, (bit<32>) begin[7:0] << 3);
        meta.others = meta.others + 1;
        meta.option_bytes = meta.option_bytes - begin[7:0];
        transition next_option;
    }

    state pace {
        packet.extract(hdr.pace);
        meta.option_bytes = meta.option_bytes - hdr.pace.length_;
        meta.traces = (hdr.pace.length_ - 4) >> 3;
        transition next_trace;
    }

    state next_trace {
        transition select(meta.traces) {
            0: rest;
            default: one_trace;
        }
    }

    state one_trace {
        packet.extract(hdr.traces.next);
        meta.traces = meta.traces - 1;
        transition next_trace;
    }

    state rest {
        packet.extract(hdr.rest, (bit<32>) meta.option_bytes << 3);
        transition after_options;
    }

    // Only the first fragment of a packet has a TCP header.
    state after_options {
        transition select(hdr.ipv4.fragOffset, hdr.ipv4.protocol) {
            (0, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.others);
        packet.emit(hdr.pace);
        packet.emit(hdr.traces);
        packet.emit(hdr.rest);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
    }
}
