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

control Plain();
package Switch<H>(Stage<H> first = Nothing<H>(), Stage<H> second, Plain third);

Switch(second = Short(), third = Tagged(makeTag(8w1))) main;
