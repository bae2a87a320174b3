/* Computes with two numbers of each packet, and compares with the results that the packet has. */
#include <core.p4>
#include <v1model.p4>

header numbers_t {
    bit<W> a;
    bit<W> b;
    bit<W> sum;
    bit<W> difference;
    bit<W> product;
    bit<W> quotient;
    bit<W> rest;
    bit<W> saturated_sum;
    bit<W> saturated_difference;
    int<W> signed_sum;
    int<W> signed_difference;
    bit<W> both;
    bit<W> either;
    bit<W> differing;
    bit<W> inverse;
    bit<W> negative;
    bit<W> left;
    bit<W> right;
    int<W> signed_right;
    bit<8> less;
    bit<8> signed_less;
    bit<8> low;
    int<96> extended;
}

struct headers_t { numbers_t n; }
struct metadata_t {}

error { Sums, Products, Saturated, Bits, Shifts, Orders, Casts }

bit<8> steps(in bit<8> limit) {
    bit<8> done = 0;
    for (bit<8> i in 8w0 .. 8w20) {
        if (i == limit) { break; }
        if (i == 2) { continue; }
        done = done + 1;
    }
    return done;
}

parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    bit<W> a;
    bit<W> b;
    state start {
        packet.extract(hdr.n);
        a = hdr.n.a;
        b = hdr.n.b;
        verify(a + b == hdr.n.sum && a - b == hdr.n.difference, error.Sums);
        verify(a * b == hdr.n.product, error.Products);
        verify(a |+| b == hdr.n.saturated_sum && a |-| b == hdr.n.saturated_difference, error.Saturated);
        verify((int<W>)a |+| (int<W>)b == hdr.n.signed_sum, error.Saturated);
        verify((int<W>)a |-| (int<W>)b == hdr.n.signed_difference, error.Saturated);
        verify((a & b) == hdr.n.both && (a | b) == hdr.n.either && (a ^ b) == hdr.n.differing, error.Bits);
        verify(~a == hdr.n.inverse && -a == hdr.n.negative, error.Bits);
        verify(a << (b & 31) == hdr.n.left && a >> (b & 31) == hdr.n.right, error.Shifts);
        verify((int<W>)a >> (b & 31) == hdr.n.signed_right, error.Shifts);
        verify((a < b ? 8w1 : 0) == hdr.n.less, error.Orders);
        verify(((int<W>)a < (int<W>)b ? 8w1 : 0) == hdr.n.signed_less, error.Orders);
        verify(a[7:0] == hdr.n.low && (a ++ b)[7:0] == b[7:0], error.Casts);
        verify((int<96>)(int<W>)a == hdr.n.extended, error.Casts);
        verify(steps(5) == 4, error.Casts);
        transition accept;
    }
}

control Nothing(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply {} }
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(MyParser(), Nothing(), MyIngress(), MyIngress(), Nothing(), MyDeparser()) main;
