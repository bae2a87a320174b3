/* A small architecture for tests: parse, compute, deparse. What the externs do is in crates/weir-compiler/tests/pipe. */
#ifndef PIPE_P4
#define PIPE_P4

#include <core.p4>

match_kind { range, optional, selector }

/* Writes its argument to the log and gives it back. */
extern bit<8> note(in bit<8> value);

/* Writes all its argument's scalars to the log. */
extern void show<T>(in T data);

/* A message and its data, to the log. */
extern void message<T>(string text, in T data);

/* Gives 1, 2, 3, … on successive calls. */
extern void next(out bit<8> number);

/* Adds one. */
extern void bump(inout bit<8> number);

/* Adds. */
extern void mix(inout bit<8> sum, in bit<8> number);

/* Swaps. */
extern void swap<T>(inout T left, inout T right);

/* Fills everything with ones and makes every header valid. */
extern void forge<T>(out T made);
extern T forged<T>();

/* A cell of eight bits of its own. */
extern cell {
    cell(bit<8> initial);
    bit<8> get();
    void set(in bit<8> value);
}

parser PipeParser<H, M>(packet_in packet, out H hdr, inout M meta);
control PipeControl<H, M>(inout H hdr, inout M meta);
control PipeDeparser<H, M>(packet_out packet, in H hdr, in M meta);
package Pipe<H, M>(PipeParser<H, M> p, PipeControl<H, M> c, PipeDeparser<H, M> d);

#endif
