#include <core.p4>
#include <v1model.p4>
error { First, Second }
header a_t {
    bit<6> k0;
    bit<8> k1;
    bit<4> k2;
    bit<12> f0;
    bit<2> f1;
    int<64> f2;
    bit<63> f3;
    bit<31> f4;
    bit<2> pad;
}
header b_t {
    bit<24> f0;
}
header c_t {
    bit<8> kind;
    bit<1> f0;
    int<33> f1;
    bit<6> pad;
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
    bit<8> f0;
    bit<16> f1;
}
struct headers {
    r_t r;
    a_t a;
    b_t b;
    c_t c;
    b_t d;
    s_t[3] s;
}
struct inner_t {
    bit<16> x;
}
struct meta {
    @field_list(1)
    bool m0;
    @field_list(3)
    int<7> m1;
    bit<12> m2;
    @field_list(1)
    bit<24> m3;
    @field_list(1, 2)
    bool m4;
    @field_list(1, 2, 3)
    bit<8> again;
    @field_list(1, 2)
    bit<2> color;
    inner_t inner;
}
bit<4> fun1(inout int<40> p0, in bit<3> p1) {
    p0 = (~(p0 << 5w0b11011));
    return (((((bit<4>) (int<4>) p0) ^ 4w0b1) |+| (-((bit<4>) (bit<40>) p0))) |-| (((p0 >= p0) ? 16w44594 : 16w0b1111110011101101))[11:8]);
}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) set2;
    state start {
        p.extract(h.a);
        h.a.f1 = ((2w0x0 + h.a.pad) - ((bit<2>) 65w0x1674ba79d68c6edbf));
        h.a.f4 = ((m.m4 ? h.a.f4 : h.a.f4) << m.color);
        transition select(h.a.k0, h.a.k2) {
            (6w0b10111, 4w1 .. 4w0x1): accept;
            (_, 4w7): at_b;
            (_, 4w0b111 &&& 4w2): at_s;
            (6w0b100101, _): at_c;
            default: accept;
        }
    }
    state at_c {
        p.extract(h.c);
        h.c.f0 = (((h.c.kind != ((bit<8>) h.c.f0)) ? h.c.f0 : h.c.f0) & h.c.f0);
        h.c.kind[5:4] = (((bit<1>) (bit<13>) ((int<13>) (bit<13>) m.color)) ++ (m.inner.x)[0:0]);
        transition select(h.c.f0, h.c.kind) {
            (_, 8w0b10001110 .. 8w0b10001110): at_b;
            (1w0b0, 8w0b11101001 &&& 8w0b10001110): accept;
            (1w0 &&& 1w1, 8w0b10100010 &&& 8w0b1111110): at_s;
            (1w0x1, _): at_b;
            default: at_s;
        }
    }
    state at_b {
        p.extract(h.b);
        transition at_s;
    }
    state at_s {
        p.extract(h.s.next);
        transition select(h.s.last.kind) {
            set2: at_s;
            8w0x1 .. 8w0b111111: at_s;
            default: accept;
        }
    }
}
control V(inout headers h, inout meta m) {
    apply {
    }
}
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets) cnt3;
    action act4() {
        m.m3 = ((h.a.k2 > 4w10) ? (m.m3 |-| m.m3) : (m.m3 << 8w23));
    }
    action act5(in int<13> d0) {
        if ((h.s[2] != h.s[0])) {
            h.a.k0 = (-(h.r.left)[30:25]);
        } else {
            h.r.right = (~(h.r.wide)[44:13]);
        }
    }
    action act6(bit<4> x0) {
        m.inner.x = (~(-h.r.small));
        m.inner.x[2:1] = ((((bit<2>) (int<2>) h.a.f2) |-| h.a.f1) - (((bit<128>) ((bit<1>) m.m4)))[36:35]);
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
            if (!h.a.isValid()) { exit; }
        }
        if (!h.a.isValid()) { return; }
        h.r.left = s.packet_length;
        s.egress_spec = (bit<9>) h.a.k0[1:0];
        h.r.code[7:7] = s.checksum_error;
        hash(h.r.small, HashAlgorithm.csum16, 8w5, { m.color, s.ingress_port }, 32w3);
        if (h.b.isValid()) {
            if ((h.a.f4 >= (-h.a.f4))) {
                h.s.pop_front(2);
                cnt3.count((bit<32>) (3w5 & ((bit<3>) h.r.right)));
            } else {
                h.a.f2 = ((int<64>) 24s7780196);
            }
            if (h.c.isValid()) {
                h.s[0] = { ((bit<8>) -8s1), ((bit<8>) (bit<33>) h.c.f1), (h.r.wide)[58:43] };
                h.r.left = ((h.r.left << 8w26) + (s.packet_length ^ s.instance_type));
            }
        }
        if (h.b.isValid()) { h.d = h.b; }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets_and_bytes) cnt7;
    counter(1, CounterType.packets) cnt8;
    action act9() {
        if (h.s[1].isValid()) {
            if (m.again < 3 && h.s[1].isValid()) { m.again = m.again + 1; clone_preserving_field_list(CloneType.E2E, 32w1, 3); }
            h.a.f1 = (h.a.f1 << 2);
        }
    }
    action act10(in bit<12> d0, in bit<9> d1, bit<3> x0, bit<100> x1) {
        int<4> v11 = ((d1 <= d1) ? (((int<4>) (int<32>) s.instance_type) ^ 4s7) : -4s1);
    }
    direct_counter(CounterType.packets_and_bytes) dc13;
    table t12 {
        key = {
            h.r.wide: range @name("k0");
            h.s[1].isValid(): exact @name("k1");
            h.a.f1: range @name("k2");
        }
        actions = {
            act9;
            act10((h.a.f0 >> 8w8), ((h.a.k2 ++ ((bit<5>) (bit<64>) h.a.f2)) + ((bit<9>) (int<9>) ((int<40>) (bit<40>) h.r.code))));
        }
        default_action = act10((h.a.f0 >> 8w8), ((h.a.k2 ++ ((bit<5>) (bit<64>) h.a.f2)) + ((bit<9>) (int<9>) ((int<40>) (bit<40>) h.r.code))), 3w0b1, 100w1267650600228229401496703205375);
        counters = dc13;
        size = 1024;
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
        h.r.small[2:2] = ((~m.again))[2:2];
        t12.apply();
        h.r.wide = h.r.wide ^ ((bit<64>) m.m2);
    }
}
control U(inout headers h, inout meta m) {
    apply {
        update_checksum_with_payload(h.r.isValid() && h.a.isValid() && (h.a.f3 > h.a.f3), { h.a.f1, h.a.f4, 15w0 }, h.r.small, HashAlgorithm.xor16);
    }
}
control D(packet_out p, in headers h) {
    apply { p.emit(h); }
}
V1Switch(P(), V(), I(), E(), U(), D()) main;
