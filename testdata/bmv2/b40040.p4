#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<4> k1;
    bit<16> k2;
    int<65> f0;
    bit<32> f1;
    bit<1> f2;
    int<7> f3;
    int<128> f4;
    bit<9> f5;
    int<63> f6;
}
header b_t {
    bit<48> f0;
    bit<3> f1;
    bit<100> f2;
    bit<9> f3;
}
header c_t {
    bit<8> kind;
    bit<64> f0;
    bit<40> f1;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header s_t {
    bit<8> kind;
    bit<127> f0;
    bit<64> f1;
    bit<1> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[4] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1, 2, 3)
    bit<12> m0;
    @field_list(3)
    bool m1;
    @field_list(1)
    bool m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2)
    bit<2> color;
    inner_t inner;
}
bit<8> fun1(in int<33> p0, in bit<128> p1, in bit<3> p2) {
    if ((((int<24>) (int<7>) 7w0x67) > ((int<24>) (int<3>) p2))) { return ((bit<8>) p1); }
    return (((((bit<32>) p2) ++ ((bit<16>) (int<16>) p0)))[22:15] << 1);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.f5) {
            9w0b111111111: at_s;
            9w0x0 &&& 9w0b111111111: at_s;
            9w0b0 &&& 9w0b1: at_s;
            9w255 .. 9w255: accept;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0b1000010: accept;
            8w0xe7 .. 8w0b11100111: at_s;
            8w70 &&& 8w0b0: at_b;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f1) {
            _: at_c;
            3w0b1 &&& 3w0x2: accept;
            3w0x5 .. 3w0x7: at_c;
            3w0x6 .. 3w0x6: accept;
            default: accept;
        }
    }
    state at_c {
        p.extract(h.c);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) cnt2;
    action act3(out bit<5> d0, bit<100> x0) {
        d0 = 5w0xf;
        if ((h.a.f0 <= (~65s12045507380911246284))) {
            h.r.small[6:2] = d0;
        }
        h.a.f6 = (-((int<63>) (bit<63>) ((bit<33>) h.r.right)));
    }
    apply {
        h.r.setValid();
        h.r.code = 0;
        h.r.left = 0;
        h.r.right = 0;
        h.r.small = 0;
        h.r.wide = 0;
        if (s.parser_error != error.NoError) {
            s.egress_spec = 4;
            if (s.parser_error == error.PacketTooShort) { h.r.code = 1; }
            if (s.parser_error == error.NoMatch) { h.r.code = 2; }
            if (s.parser_error == error.StackOutOfBounds) { h.r.code = 3; }
            if (s.parser_error == error.HeaderTooShort) { h.r.code = 4; }
            if (s.parser_error == error.ParserInvalidArgument) { h.r.code = 5; }
            if (s.parser_error == error.First) { h.r.code = 6; }
            if (s.parser_error == error.Second) { h.r.code = 7; }
            if (!h.a.isValid()) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (h.b.isValid()) {
            h.r.code = fun1((~((int<33>) (bit<33>) h.b.f1)), ((bit<128>) (h.r.wide | h.r.wide)), h.b.f1);
            h.r.code = fun1((((m.again > h.r.code) ? ((int<33>) (int<9>) s.ingress_port) : ((int<33>) (int<32>) h.a.f1)) * (-33s2741950166 |+| ((int<33>) h.a.f3))), ((bit<128>) (int<128>) ((h.b.f1 == 3w6) ? ((int<31>) (bit<31>) h.a.f2) : ((int<31>) (int<12>) m.m0))), h.a.k0);
        }
        bit<16> v4 = (~h.r.small);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) cnt5;
    counter(1, CounterType.packets_and_bytes) cnt6;
    action act7(out bit<4> d0, bit<17> x0) {
        d0 = 4w9;
        if ((h.a.k1 < ((d0 <= h.a.k1) ? h.a.k1 : 4w0b1))) {
            h.r.right = ((((bit<48>) s.egress_rid) >> 10))[31:0];
        } else {
            d0[3:0] = ((d0 ^ d0) ^ ((bit<4>) m.color));
            m.inner.x = h.r.small;
        }
    }
    action act8(bit<65> x0, bit<2> x1) {
        h.r.left = ((((bit<27>) (int<27>) h.a.f4) |-| ((bit<27>) h.r.left)) ++ (((bit<5>) h.r.small) * 5w22));
        h.a.f1 = (~s.instance_type);
        h.r.code = fun1(((int<33>) (int<32>) h.r.right), (-(((bit<50>) h.a.k0) ++ 78w136352472482826803588805)), h.a.k0);
    }
    apply {
        if (!h.r.isValid()) {
            h.r.setValid();
            h.r.code = 0;
            h.r.left = 0;
            h.r.right = 0;
            h.r.small = 0;
            h.r.wide = 0;
        }
        if (!h.a.isValid()) { return; }
        h.r.small = (bit<16>) s.instance_type;
        bit<9> v9 = (-(((bit<16>) s.instance_type))[11:3]);
        h.r.wide = h.r.wide ^ ((bit<64>) m.m0);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
