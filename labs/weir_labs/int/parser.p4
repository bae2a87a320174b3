/* parser.p4 - finds the INT headers of packets that come from other switches. */

const bit<8> WALKED = 64;              // words of hdr.words

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    // The ports that lead to hosts. Their packets carry no INT, whatever they look like.
    value_set<port_t>(64) host_ports;

    // The receivers whose packets leave INT here, and whose events this switch detects. Up to 64
    // words of their metadata are in hdr.words, where controls can read them.
    value_set<ipv4_address_t>(256) watched_receivers;

    bit<8> to_walk;

    state start {
        transition select(standard_metadata.ingress_port) {
            host_ports: from_host;
            default: parse_ethernet;
        }
    }

    state from_host {
        meta.from_host = 1;
        transition parse_ethernet;
    }

    state parse_ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.etherType) {
            TYPE_IPV4: parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hdr.packet.ipv4);
        transition select(hdr.packet.ipv4.ihl, hdr.packet.ipv4.flags[0:0], hdr.packet.ipv4.fragOffset,
                          hdr.packet.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
            default: accept;
        }
    }

    state parse_udp {
        packet.extract(hdr.packet.udp);
        meta.src_port = hdr.packet.udp.srcPort;
        meta.dst_port = hdr.packet.udp.dstPort;
        transition select(hdr.packet.ipv4.totalLen - hdr.packet.udp.length_, meta.from_host,
                          hdr.packet.udp.dstPort, hdr.packet.ipv4.dscp) {
            (IPV4_BYTES, 1, _, _): whole;
            (IPV4_BYTES, 0, PORT_INT, _): parse_shim;
            (IPV4_BYTES, 0, _, DSCP_INT): parse_shim;
            (IPV4_BYTES, 0, _, _): whole;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.packet.tcp);
        meta.src_port = hdr.packet.tcp.srcPort;
        meta.dst_port = hdr.packet.tcp.dstPort;
        transition select(hdr.packet.tcp.dataOffset) {
            0 .. 4: accept;
            default: parse_tcp_options;
        }
    }

    state parse_tcp_options {
        packet.extract(hdr.packet.tcp_options, (bit<32>) (hdr.packet.tcp.dataOffset - 5) * 32);
        transition select(meta.from_host, hdr.packet.ipv4.dscp) {
            (0, DSCP_INT): parse_shim;
            default: whole;
        }
    }

    state parse_shim {
        packet.extract(hdr.packet.shim);
        transition select(hdr.packet.shim.kind, hdr.packet.shim.length_, packet.lookahead<bit<4>>()) {
            (TYPE_MD, INT_WORDS .. 255, INT_VERSION): parse_md;
            (TYPE_MX, INT_WORDS .. 255, INT_VERSION): parse_mx;
            default: parse_unknown;
        }
    }

    state parse_md {
        packet.extract(hdr.packet.md);
        transition select(hdr.packet.ipv4.dstAddr) {
            watched_receivers: walk;
            default: parse_stack;
        }
    }

    state parse_stack {
        packet.extract(hdr.packet.stack, (bit<32>) (hdr.packet.shim.length_ - INT_WORDS) * 32);
        transition whole;
    }

    state walk {
        to_walk = hdr.packet.shim.length_ - INT_WORDS;
        transition walk_on;
    }

    state walk_on {
        transition select(to_walk, meta.walked) {
            (0, _): whole;
            (_, WALKED): rest;
            default: walk_word;
        }
    }

    state rest {
        packet.extract(hdr.rest, (bit<32>) to_walk * 32);
        transition whole;
    }

    state walk_word {
        packet.extract(hdr.words.next);
        meta.walked = meta.walked + 1;
        to_walk = to_walk - 1;
        transition walk_on;
    }

    state parse_mx {
        packet.extract(hdr.packet.mx);
        packet.extract(hdr.packet.stack, (bit<32>) (hdr.packet.shim.length_ - INT_WORDS) * 32);
        transition whole;
    }

    // Other types and versions: only a sink touches them.
    state parse_unknown {
        packet.extract(hdr.packet.stack, (bit<32>) hdr.packet.shim.length_ * 32);
        transition whole;
    }

    state whole {
        meta.whole = 1;
        transition accept;
    }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.group);
        packet.emit(hdr.report);
        packet.emit(hdr.packet);
        packet.emit(hdr.words);
        packet.emit(hdr.rest);
    }
}
