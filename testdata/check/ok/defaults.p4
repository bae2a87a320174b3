// What may be left out: parameters with defaults, in types of blocks and in packages, and type arguments they determine.
#include <core.p4>

struct status_t {
    bit<8> code;
}

struct headers_t {
    bit<16> value;
}

extern Tag<T> {
}

extern Tag<T> makeTag<T>(T seed);
extern void note<T, R>(in T value, @optional in R reason);

control Stage<H>(inout H headers, in status_t status = { 0 });

control Short(inout headers_t headers) {
    apply {
        note(headers.value);
    }
}

control Nothing<H>(inout H headers, in status_t status) {
    apply {
    }
}

control Tagged()(Tag<bit<8>> tag) {
    apply {
    }
}

extern void mixed(@optional in bit<8> reason, in bit<8> level = 1, in bit<8> value);
extern void all(@optional in bit<8> reason, in bit<8> level = 1);

bit<8> weighed(in bit<8> weight = 2, in bit<8> value) {
    return weight * value;
}

control Early(in bit<8> weight = 3, inout bit<8> x) {
    apply {
        x = weighed(value = x) + weighed(weight, x);
        mixed(value = x);
        all();
    }
}

control Calls(inout bit<8> x) {
    Early() early;
    apply {
        early.apply(x = x);
    }
}

control Plain();
package Switch<H>(Stage<H> first = Nothing<H>(), Stage<H> second, Plain third);

Switch(second = Short(), third = Tagged(makeTag(8w1))) main;
