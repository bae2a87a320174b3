#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<16> k0;
    bit<8> k1;
    bit<4> k2;
    bit<40> f0;
    bit<17> f1;
    bit<24> f2;
    bit<3> pad;
}
header b_t {
    bit<127> f0;
    bit<7> f1;
    bit<40> f2;
    bit<31> f3;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    bit<7> f0;
    bit<12> f1;
    bit<5> pad;
}
header r_t {
    bit<8> code;
    bit<32> left;
    bit<32> right;
    bit<16> small;
    bit<64> wide;
}
header v_t {
    bit<8> size;
    varbit<64> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    bool m0;
    @field_list(1)
    bit<48> m1;
    @field_list(1)
    bit<16> m2;
    @field_list(1)
    bit<16> m3;
    @field_list(2)
    bool m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
bit<17> fun1(in int<2> p0) {
    return (((((bit<9>) (int<9>) p0) << 8w11) ++ ((bit<8>) (bit<2>) p0)) | (~(((bit<7>) (int<7>) p0) ++ 10w838)));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        h.a.pad = (-(-3w0x3));
        transition select(h.a.k0) {
            _: at_c;
            default: at_v;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w7) * 8);
        h.v.size[4:3] = ((32w0)[21:20] << 2);
        transition select(h.v.size) {
            8w0b11010011 .. 8w0b11010011: at_b;
            8w0xff .. 8w0xff: accept;
            8w0b10110010 .. 8w178: accept;
            8w127: at_b;
            default: accept;
        }
    }
    state at_c {
        p.extract(h.c);
        bit<7> v2 = ((-h.c.f0) & (64w0x83189c59dcf8f345)[54:48]);
        transition select(h.c.kind) {
            8w211 &&& 8w112: accept;
            8w127: accept;
            default: at_b;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.pad = ((~h.b.pad) << 8w3);
        h.b.f2[1:0] = ((m.color << 8w7) |+| (2w2 + m.color));
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.bytes) cnt3;
    register<bit<48>>(1) reg4;
    register<bit<9>>(4) reg5;
    meter(4, MeterType.bytes) mtr6;
    action act7(out bit<127> d0, in bit<24> d1, bit<24> x0) {
        d0 = 127w170141183460469231731687303715884105727;
        cnt3.count(0);
        s.egress_spec = (bit<9>) ((bit<2>) ((bit<1>) m.m0));
    }
    table t8 {
        key = {
            h.r.right: range @name("k0");
            (((bit<6>) s.instance_type) ++ ((bit<2>) ((bit<33>) h.r.right))): exact @name("k1");
            h.r.small: lpm @name("k2");
        }
        actions = {
            NoAction;
        }
        default_action = NoAction();
        size = 128;
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
        if (h.c.isValid()) {
            if (h.b.isValid()) {
                h.v.setInvalid();
            }
        }
        if ((h.r.small >= m.m3)) {
            switch (h.r.code) {
                8w0b1111111: {
                    h.a.f1 = fun1(((int<2>) ((int<64>) (bit<64>) ((bit<31>) h.r.right))));
                }
            }
            if (((((bit<31>) h.a.k0) >> 25) == (32w4294967295)[30:0])) {
                h.a.k1 = ((m.color ++ ((bit<6>) m.m1)) << 8);
                log_msg("value9 {}", { s.packet_length });
            } else {
                h.r.small = m.m2;
            }
        } else {
            switch ((~(h.a.k2 ++ ((bit<4>) h.a.f2)))) {
                8w0xb2: {
                    s.egress_spec = (bit<9>) ((~((bit<1>) s.ingress_port)) ++ (false ? 1w1 : ((bit<1>) s.instance_type)));
                }
                default: {
                    h.b.setInvalid();
                }
            }
            if (((m.m3 == ((bit<16>) m.m1)) && (m.m0 && h.v.isValid()))) {
                h.r.small = ((m.m0 ? ((bit<12>) h.r.small) : 12w1) ++ h.a.k2);
                m.m1 = ((bit<48>) m.inner.x);
            }
        }
        switch ((~(~h.a.pad))) {
            3w5: {
                m.m4 = h.v.isValid();
                hash(h.a.k0, HashAlgorithm.xor16, 8w0b101001, { h.a.k2 }, 32w0);
            }
            default: {
                if (h.b.isValid()) { h.d = h.b; }
                if (!t8.apply().miss) {
                    h.b = { ((bit<127>) s.instance_type), (((bit<7>) h.a.pad) << 5), ((h.a.pad < h.a.pad) ? h.a.f0 : h.a.f0), ((h.r.small > m.m3) ? ((bit<31>) s.packet_length) : 31w2085564161), (((bit<3>) h.r.code) >> 8w3) };
                } else {
                    m.m2 = (((h.a.pad < ((bit<3>) h.r.left)) ? m.m2 : m.m3) >> m.color);
                }
            }
        }
        h.b.setValid();
        h.b.f0 = ((bit<127>) m.inner.x);
        h.b.f1 = (((bit<32>) h.r.code))[21:15];
        h.b.f2 = (((bit<40>) m.inner.x) |+| ((bit<40>) h.a.f2));
        h.b.f3 = (31w1188371919 << 8w26);
        h.b.pad = (((bit<1>) h.r.left) ++ m.color);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(1, CounterType.packets) cnt10;
    register<bit<9>>(4) reg11;
    action act12(inout int<9> d0, inout bit<1> d1, bit<16> x0) {
        hash(h.r.wide, HashAlgorithm.crc16_custom, 8w0x2c, { h.r.right, s.egress_rid, h.r.code }, 32w0x0);
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
        if (m.again < 2 && (h.r.code == h.r.code)) { m.again = m.again + 1; recirculate_preserving_field_list(2); }
        switch (((((bit<2>) h.a.pad) ^ m.color) | (1w0x0 ++ 1w0x1))) {
            2w0x2: {
                h.c.setInvalid();
            }
            default: {
                h.a.f1 = fun1(-2s1);
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum(h.r.isValid() && h.a.isValid() && (!(((bit<33>) h.a.f0) == 33w0x1)), { h.a.k1, h.a.f0 }, h.r.small, HashAlgorithm.csum16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
