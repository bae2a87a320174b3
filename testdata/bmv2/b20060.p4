#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<4> k0;
    bit<16> k1;
    bit<3> k2;
    bit<1> f0;
    bit<3> f1;
    bit<40> f2;
    bit<31> f3;
    bit<6> pad;
}
header b_t {
    bit<1> f0;
    bit<4> f1;
    bit<3> pad;
}
header c_t {
    bit<8> kind;
    bit<63> f0;
    bit<1> pad;
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
    bit<16> f0;
    bit<16> f1;
}
header v_t {
    bit<8> size;
    bit<17> f0;
    bit<7> pad;
    varbit<256> rest;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[3] s;
    v_t v;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2)
    bit<65> m0;
    int<17> m1;
    @field_list(1, 3)
    bit<1> m2;
    bool m3;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(3)
    bit<2> color;
    inner_t inner;
}
bit<3> fun1(in bit<48> p0) {
    if ((p0 == (p0 << ((bit<3>) p0)))) { return (((bit<8>) (int<8>) ((int<13>) (int<48>) p0)))[2:0]; }
    return (((~3w0x7) |-| (true ? 3w0 : ((bit<3>) p0))) * (((bit<2>) p0) ++ (((bit<8>) p0))[1:1]));
}
parser Sub(packet_in p, out c_t c, inout meta m) {
    state start {
        p.extract(c);
        m.inner.x = (bit<16>) c.kind;
        transition select(c.kind) { 0: more; default: accept; }
    }
    state more { m.inner.x[7:0] = c.kind + 7; transition accept; }
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    Sub() sub;
    state start {
        p.extract(h.a);
        h.a.f3 = h.a.f3;
        transition select(h.a.f1, h.a.k1) {
            (3w0x7, 16w1 .. 16w55135): at_s;
            default: at_b;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0: at_s;
            default: at_c;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.pad = (((h.b.pad != 3w0x6) || (h.b.f0 == h.b.f0)) ? (-h.b.pad) : (h.b.pad |+| h.b.pad));
        verify((!(h.b.pad != h.b.pad)) || h.b.f0 != 1, error.Second);
        transition select(h.b.f1, h.b.f0) {
            (_, 1w1): at_v;
            default: at_c;
        }
    }
    state at_v {
        p.extract(h.v, (bit<32>) (p.lookahead<bit<8>>() & 8w7) * 8);
        bit<33> v2 = (~(33w6547958898 << 22));
        h.v.size = (h.v.size |+| (8w218 |+| h.v.size));
        transition select(h.v.size) {
            8w0b1011111: at_c;
            8w218 .. 8w0xda: accept;
            8w0x5f: accept;
            default: at_c;
        }
    }
    state at_c {
        sub.apply(p, h.c, m);
        transition accept;
    }
}
control V(inout headers h, inout meta m) {
    apply {
        verify_checksum(h.a.isValid(), { h.a.f1, h.a.f3, h.a.f1, h.a.f0, 10w0b0 }, h.a.k1, HashAlgorithm.crc16);
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt3;
    action act4(int<8> x0) {
        hash(m.color, HashAlgorithm.crc16_custom, 8w0b101111, { h.a.f2, m.m1, 8w34 }, 17w0b10000000000000000);
    }
    action act5(int<12> x0) {
        if ((m.m1 >= ((int<17>) (int<33>) ((bit<33>) s.instance_type)))) {
            h.a.f2 = ((((bit<48>) m.inner.x) << 8w2))[42:3];
        }
    }
    table t6 {
        key = {
            m.inner.x: exact @name("k0");
            h.a.k0: ternary @name("k1");
            m.again: exact @name("k2");
        }
        actions = {
            NoAction;
            act4;
            act5;
        }
        const entries = {
            (16w0b101111010001010, 4w0x2 &&& 4w0xa, 8w0x22): NoAction();
        }
        default_action = act4(8s127);
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
            if (true) { return; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        if (m.again < 3 && (h.r.left != s.instance_type)) { m.again = m.again + 1; clone(CloneType.I2E, 32w2); }
        switch (2w0b11) {
            2w3: {
                if (t6.apply().miss) {
                    h.a.f0 = ((bit<1>) m.m3);
                } else {
                    hash(h.a.pad, HashAlgorithm.crc16, 16w0x4, { h.r.wide, s.packet_length, m.m2 }, 32w0x64);
                }
            }
            default: {
                h.a.k2 = (~(((bit<3>) s.instance_type) & h.a.k2));
            }
        }
        if (h.d.isValid()) { h.b = h.d; }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt7;
    action act8(out bit<5> d0, out bit<2> d1) {
        d0 = 5w0x16;
        d1 = 2w0;
        h.a.f1 = ((h.v.isValid() && (d0 >= d0)) ? (d1 ++ m.m2) : (m.m2 ++ d1));
        h.a.k2 = fun1((((d0 > ((bit<5>) s.ingress_port)) ? ((bit<128>) m.inner.x) : ((bit<128>) s.egress_port)))[117:70]);
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
        switch ((((bit<16>) 12w0) << 8w6)) {
            16w0x7fff: {
                h.d.setInvalid();
                int<8> v9 = ((-8s34) & ((m.color == 2w0x2) ? 8s46 : ((int<8>) (bit<8>) ((bit<1>) m.m3))));
            }
            16w0x865c: {
                if (h.b.isValid()) { h.d = h.b; }
                h.s[0] = { (((bit<8>) m.m2) << 5w15), (s.egress_rid + m.inner.x), s.egress_rid };
            }
            default: {
                h.a.f1 = (((bit<128>) ((bit<17>) m.m1)))[127:125];
                h.r.left = ((bit<32>) (bit<65>) ((int<65>) m.m0));
            }
        }
        h.r.wide = h.r.wide ^ ((bit<64>) (int<64>) m.m1);
    }
}
control U(inout headers h, inout meta m) {
    apply {
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h.r); p.emit(h.a); p.emit(h.b); p.emit(h.c); p.emit(h.d); p.emit(h.s); p.emit(h.v); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
