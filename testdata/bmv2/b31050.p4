#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<8> k1;
    bit<3> k2;
    bit<127> f0;
    bit<8> f1;
    bit<31> f2;
    bit<1> f3;
    bit<2> pad;
}
header b_t {
    bit<16> f0;
}
header c_t {
    bit<8> kind;
    bit<128> f0;
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
    bit<5> f0;
    bit<3> pad;
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
    @field_list(1, 2)
    int<100> m0;
    @field_list(3)
    int<16> m1;
    bool m2;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1)
    bit<2> color;
    inner_t inner;
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set1;
    state start {
        p.extract(h.a);
        transition select(h.a.f1, h.a.k1) {
            (8w0b11011100, 8w0x2c): at_b;
            (_, 8w0x13 .. 8w0x2c): reject;
            default: accept;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            set1: accept;
            8w127: at_s;
            8w0b0: at_b;
            8w0x1: at_s;
            8w19 .. 8w0xdb: at_s;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        transition select(h.b.f0) {
            _: at_c;
            16w0b11110110001101: accept;
            default: accept;
        }
    }
    state at_c {
        p.extract(h.c);
        m.inner.x = (((bit<16>) (bit<13>) ((int<13>) (int<16>) m.inner.x)) << 5w0b11111);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    register<bit<63>>(4) reg2;
    meter(4, MeterType.packets) mtr3;
    action act4(int<17> x0, bit<65> x1) {
        if ((h.a.f1 > (((bit<8>) s.instance_type) + h.r.code))) {
            hash(h.a.f0, HashAlgorithm.crc32_custom, 32w0x57, { h.a.f3 }, 17w100);
        }
        h.a.k2[0:0] = (h.a.f3 ^ (h.a.f3 * h.a.f3));
    }
    action act5() {
        reg2.write((bit<32>) h.a.pad, (((bit<57>) 5w0x0) ++ (16w0x59b3)[12:7]));
    }
    direct_counter(CounterType.packets_and_bytes) dc7;
    table t6 {
        key = {
            (h.a.k1 - m.again): exact @name("k0");
        }
        actions = {
            act4;
            act5;
        }
        default_action = act4(17s8271, 65w0x131aabc1d9d31838e);
        counters = dc7;
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
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        bit<8> v8 = ((bit<8>) (((bit<11>) h.a.pad) ++ ((bit<6>) s.instance_type)));
        int<16> v9 = ((m.m1 << 4) - (-((int<16>) (bit<16>) h.r.right)));
        if (h.s[1].isValid()) {
            if (t6.apply().miss) {
                h.r.left = ((s.ingress_port >= 9w1) ? (h.r.right + 32w3790946007) : (((bit<32>) h.a.pad) |-| h.r.right));
                h.a.f1[4:1] = ((bit<4>) (((bit<7>) v8) & ((bit<7>) h.a.k2)));
            }
        }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt10;
    register<bit<31>>(16) reg11;
    action act12(bit<100> x0) {
        h.r.small = ((s.ingress_port ++ 7w23) ^ (s.egress_rid << 0));
        bool v13 = ((((bit<24>) (bit<100>) m.m0) ++ 76w0xfffffffffffffffffff) < ((bit<100>) ((bit<65>) h.r.wide)));
        h.a.k2 = ((h.a.k2 << 8w10) << h.a.pad);
    }
    action act14(bit<9> x0) {
        h.a.pad = m.color;
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
        if (h.s[3].isValid() && (!m.m2)) {
            reg11.write((bit<32>) ((bit<4>) m.inner.x), h.a.f2);
        }
        h.r.wide = h.r.wide ^ ((bit<64>) (bit<100>) m.m0);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
