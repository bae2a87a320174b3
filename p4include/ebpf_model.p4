/*
 * ebpf_model.p4 - the packet filter of p4c's eBPF target:
 *
 *   parser -> filter -> the packet is forwarded unchanged, or dropped
 */

#ifndef _EBPF_MODEL_P4_
#define _EBPF_MODEL_P4_

#include <core.p4>

/*
 * Counts that controllers read. The target keeps a dense array in a map of the kind "array", and a
 * sparse one in a hash table.
 */
extern CounterArray {
    CounterArray(@elements bit<32> max_index, bool sparse);
    void increment(in bit<32> index);
    void add(in bit<32> index, in bit<32> value);
}

/* Values of the table property `implementation`: the kind of map and its number of entries. */
extern array_table {
    array_table(bit<32> size);
}
extern hash_table {
    hash_table(bit<32> size);
}

parser parse<H>(packet_in packet, out H headers);
control filter<H>(inout H headers, out bool accept);

package ebpfFilter<H>(parse<H> prs, filter<H> filt);

#endif
