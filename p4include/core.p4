/*
 * core.p4 - the core library of P4_16, the same for every architecture (P4_16 v1.2.5, appendix D).
 */

#ifndef _CORE_P4_
#define _CORE_P4_

/* The standard parser errors. Programs can add more with `error` declarations. */
error {
    NoError,               // all went well
    PacketTooShort,        // extract, lookahead or advance past the end of the packet
    NoMatch,               // no case of a select fits
    StackOutOfBounds,      // no such element in a header stack
    HeaderTooShort,        // more bits than a varbit field can hold
    ParserTimeout,         // the parser took too long
    ParserInvalidArgument  // a value that this target cannot work with
}

/* The input packet of a parser: a string of bits, and a cursor that only moves forward. */
extern packet_in {
    /* Reads a header of fixed size, makes it valid and moves the cursor past it. */
    @other_names("parse", "unpack")
    @usage("packet.extract(hdr.ipv4)")
    void extract<T>(out T hdr);

    /* The same for a header with one varbit field of variableFieldSizeInBits bits. */
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);

    /* Returns the next bits as a value of type T without moving the cursor. */
    @other_names("peek")
    @usage("packet.lookahead<bit<8>>()")
    T lookahead<T>();

    /* Moves the cursor forward by sizeInBits bits. */
    @other_names("skip")
    void advance(in bit<32> sizeInBits);

    /* Returns the length of the whole packet in bytes. */
    bit<32> length();
}

/* The output packet of a deparser. */
extern packet_out {
    /* Appends a header if it is valid; for structs, stacks and unions, each valid header. */
    @other_names("append", "push", "deparse", "pack", "send")
    @usage("packet.emit(hdr.ipv4)")
    void emit<T>(in T hdr);
}

/* Ends the parser with an error if the check is false. */
extern void verify(in bool check, in error toSignal);

/* Checked at compile time: if false, compilation fails with the message. Returns the check. */
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

/* Does nothing. The default action of tables that declare none. */
@noWarn("unused")
action NoAction() {}

match_kind {
    exact,    // equal bit for bit
    ternary,  // equal under a mask
    lpm       // longest prefix wins
}

#endif
