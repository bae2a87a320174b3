// A function takes a register as an argument: each call uses the register that it names.
#include <v1model.p4>

header one_t {
    bit<8> which;
    bit<8> value;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

bit<8> add(register<bit<8>> sums, in bit<8> value) {
    bit<8> sum;
    sums.read(sum, 1);
    sum = sum + value;
    sums.write(1, sum);
    return sum;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control Sums(inout bit<8> value, register<bit<8>> sums) {
    apply {
        value = add(sums, value);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<8>>(2) left;
    register<bit<8>>(2) right;
    Sums() sums;

    apply {
        standard.egress_spec = 1;
        if (hdr.one.which == 0) {
            hdr.one.value = add(left, hdr.one.value);
        } else if (hdr.one.which == 1) {
            hdr.one.value = add(right, hdr.one.value);
        } else {
            sums.apply(hdr.one.value, left);
        }
    }
}

#include "../rest.p4"
