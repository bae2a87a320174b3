#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<3> k0;
    bit<16> k1;
    bit<6> k2;
    int<65> f0;
    bit<2> f1;
    bit<7> f2;
    bit<5> pad;
}
header b_t {
    bit<12> f0;
    bit<4> pad;
}
header c_t {
    bit<8> kind;
    int<12> f0;
    int<128> f1;
    bit<4> pad;
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
    bit<7> f0;
    bit<3> f1;
    bit<6> pad;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[2] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(2, 3)
    bit<24> m0;
    bool m1;
    @field_list(3)
    bit<65> m2;
    bool m3;
    @field_list(3)
    bit<33> m4;
    @field_list(2)
    bit<8> m5;
    bit<31> m6;
    @field_list(1, 2, 3)
    bit<8> again;
    bit<2> color;
    inner_t inner;
}
bit<16> fun1(out bit<13> p0, in bit<63> p1, inout bit<5> p2) {
    p0 = 13w1763;
    p2 = ((~p2) |+| ((p2 > p2) ? p2 : ((bit<5>) p1)));
    p2 = ((5w0b1001 << 1) - (((bit<5>) p1) >> 0));
    if (false) { return 16w0x1; }
    return ((bit<16>) (int<16>) (((((int<8>) (bit<8>) p1) == 8s1) ? 9s54 : ((int<9>) (int<5>) p2)) >> 7));
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start {
        p.extract(h.a);
        transition select(h.a.k2) {
            6w0b100101: at_s;
            6w38 .. 6w38: at_b;
            6w0b100101 .. 6w0x38: at_s;
            _: at_c;
            default: accept;
        }
    }
    state at_b {
        p.extract(h.b);
        h.b.pad[1:0] = (((bit<2>) h.b.f0) - (((bit<32>) h.b.f0))[15:14]);
        transition select(h.b.f0) {
            12w0xf93 .. 12w3987: at_c;
            12w0b0 .. 12w0b0: accept;
            12w0x0: accept;
            12w0xf93: accept;
            default: at_s;
        }
    }
    state at_c {
        p.extract(h.c);
        transition select(h.c.kind) {
            8w159 .. 8w0b10011111: at_s;
            _: at_s;
            default: at_s;
        }
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            8w0xba: at_s;
            8w0b1 .. 8w195: accept;
            8w0b1 &&& 8w0b11111000: at_s;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    action act2() {
        if (h.b.isValid() && (m.m1 && m.m3)) {
            m.m6[11:7] = ((((bit<8>) m.m4) >> 8))[5:1];
        }
    }
    action act3(inout bit<16> d0, bit<63> x0) {
        hash(h.a.f1, HashAlgorithm.identity, 8w71, { h.r.right }, 32w100);
    }
    action_selector(HashAlgorithm.identity, 32w64, 32w8) p5;
    table t4 {
        key = {
            s.ingress_port: ternary @name("k0");
            s.instance_type: selector @name("s0");
            m.m0: selector @name("s1");
        }
        actions = {
            NoAction;
            act2;
            act3(m.inner.x);
        }
        implementation = p5;
        size = 1024;
    }
    table t6 {
        key = {
            ((!m.m1) ? (4w14 >> ((bit<1>) m.m2)) : ((bit<4>) 33w1)): ternary @name("k0");
            s.instance_type: ternary @name("k1");
            h.r.code: optional @name("k2");
        }
        actions = {
            act2;
        }
        const default_action = act2();
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
            if (true) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        bit<17> v7 = 17w32585;
        if (m.m3) {
            switch ((~(~((bit<4>) s.ingress_port)))) {
                4w6: {
                    h.r.left = ((((bit<19>) ((bit<1>) m.m1)) >> 8w14) ++ (((bit<13>) m.inner.x) ^ ((bit<13>) h.a.pad)));
                    h.a.k0[0:0] = ((((bit<1>) s.ingress_port) << 8w6) & (((bit<1>) m.m6) >> 8w0));
                }
                4w8: {
                    act2();
                    bit<16> v8 = ((-((bit<128>) s.packet_length)))[117:102];
                }
                default: {
                    v7 = ((bit<17>) (bit<9>) 9s1);
                }
            }
            if (((-((bit<13>) h.a.f2)) >= ((((bit<40>) ((bit<1>) m.m3)) >= 40w0xeaca439cbd) ? 13w6711 : ((bit<13>) m.inner.x)))) {
                h.r.small[8:4] = ((h.a.f1 ++ 1w0x1) ++ (-m.color));
                v7[10:5] = ((h.r.small)[6:1] << 1w0x1);
            }
        }
        t4.apply();
        t6.apply();
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.bytes) cnt9;
    action act10(out bit<64> d0, in bit<33> d1, bit<3> x0, bit<17> x1) {
        d0 = 64w0x3a4c254f26905c6;
        bit<8> v11 = ((bit<8>) m.inner.x);
    }
    action act12(bit<7> x0) {
        if ((!((x0 <= x0) || (h.a.f1 > h.a.f1)))) {
            h.r.left = (((bit<32>) 7w0b1) >> 8w11);
            h.r.left = (((bit<32>) (bit<48>) 48s140737488355327) * (-h.r.right));
        }
        m.m1 = (s.egress_port == (s.ingress_port >> 8w15));
    }
    action act13(bit<48> x0, bit<3> x1) {
        if (h.c.isValid() && (s.egress_rid != 16w27292)) {
            h.r.left = (((x0 > x0) || (h.b != h.d)) ? ((((bit<12>) h.a.k0) == ((bit<12>) s.ingress_port)) ? h.r.left : h.r.left) : ((h.r.right > ((bit<32>) x0)) ? h.r.right : s.instance_type));
        }
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
        h.c.setInvalid();
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
