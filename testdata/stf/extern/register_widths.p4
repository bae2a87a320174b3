// Cells of any width, unsigned and signed, of a bit and of 300.
#include <v1model.p4>

header ask_t {
    bit<1>   flag;
    bit<7>   small;
    int<8>   signed;
    bit<300> wide;
    bit<4>   rest;
}

struct headers_t {
    ask_t before;
    ask_t now;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.now);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<1>>(1) flags;
    register<bit<7>>(1) smalls;
    register<int<8>>(1) signeds;
    register<bit<300>>(1) wides;

    apply {
        hdr.before.setValid();
        hdr.before.rest = 0;
        flags.read(hdr.before.flag, 0);
        smalls.read(hdr.before.small, 0);
        signeds.read(hdr.before.signed, 0);
        wides.read(hdr.before.wide, 0);
        flags.write(0, hdr.now.flag);
        smalls.write(0, hdr.now.small);
        signeds.write(0, hdr.now.signed >> 1);
        wides.write(0, hdr.now.wide);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
