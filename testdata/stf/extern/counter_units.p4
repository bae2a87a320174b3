// A counter counts packets, bytes, or both; bytes are the packet's at the beginning of its pass, however long it leaves.
#include <v1model.p4>

header one_t {
    bit<8> index;
}

header more_t {
    bit<32> more;
}

struct headers_t {
    one_t one;
    more_t more;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(4, CounterType.packets) by_packets;
    counter(4, CounterType.bytes) by_bytes;
    counter(4, CounterType.packets_and_bytes) by_both;

    apply {
        hdr.more.setValid();
        hdr.more.more = 0;
        by_packets.count((bit<32>) hdr.one.index);
        by_bytes.count((bit<32>) hdr.one.index);
        by_both.count((bit<32>) hdr.one.index);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
