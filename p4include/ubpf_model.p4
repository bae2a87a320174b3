/*
 * ubpf_model.p4 - the model of p4c's target for BPF outside the kernel:
 *
 *   parser -> pipeline -> deparser -> out of output_port, or dropped
 *
 * This is the model since 2020-05-15. In earlier versions, blocks had no standard metadata.
 */

#ifndef _UBPF_MODEL_P4_
#define _UBPF_MODEL_P4_

#include <core.p4>

#ifndef UBPF_MODEL_VERSION
#define UBPF_MODEL_VERSION 20200515
#endif
#if UBPF_MODEL_VERSION < 20200515
#error "Weir has the model with standard metadata: define UBPF_MODEL_VERSION as 20200515, or not at all"
#endif

const bit<32> __ubpf_model_version = UBPF_MODEL_VERSION;

enum ubpf_action {
    ABORT,
    DROP,
    PASS,
    REDIRECT
}

struct standard_metadata {
    bit<32> input_port;
    bit<32> packet_length;
    ubpf_action output_action;
    bit<32> output_port;
    bool clone;
    bit<32> clone_port;
}

/* Whether the packet is dropped. The last call counts; without a call, it is not. */
extern void mark_to_drop();
extern void mark_to_pass();

extern Register<T, S> {
    Register(@elements bit<32> size);
    T read(in S index);
    void write(in S index, in T value);
}

/* The time in nanoseconds. */
extern bit<48> ubpf_time_get_ns();

/* Cuts the packet that leaves to so many bytes. */
extern void truncate(in bit<32> len);

enum HashAlgorithm {
    lookup3
}
extern void hash<D>(out bit<32> result, in HashAlgorithm algo, in D data);

/* The checksum `csum` after a field has changed from `old` to `new` (RFC 1624). */
extern bit<16> csum_replace2(in bit<16> csum, in bit<16> old, in bit<16> new);
extern bit<16> csum_replace4(in bit<16> csum, in bit<32> old, in bit<32> new);

parser parse<H, M>(packet_in packet, out H headers, inout M meta, inout standard_metadata std);
control pipeline<H, M>(inout H headers, inout M meta, inout standard_metadata std);
@deparser
control deparser<H>(packet_out b, in H headers);

package ubpf<H, M>(parse<H, M> prs, pipeline<H, M> p, deparser<H> dprs);

#endif
