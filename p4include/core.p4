/*
 * core.p4 - what every P4_16 program may count on, whatever the architecture (P4_16 v1.2.5, appendix D).
 */

#ifndef _CORE_P4_
#define _CORE_P4_

/* What a parser can run into. Programs add their own with further `error` declarations. */
error {
    NoError,               // all went well
    PacketTooShort,        // extract, lookahead or advance past the end of the packet
    NoMatch,               // no case of a select fits
    StackOutOfBounds,      // no such element in a header stack
    HeaderTooShort,        // more bits than a varbit field can hold
    ParserTimeout,         // the parser took too long
    ParserInvalidArgument  // a value that this target cannot work with
}

/* The packet as a parser sees it: bits and a cursor that only moves forward. */
extern packet_in {
    /* Fills a header of fixed size, makes it valid and moves the cursor past it. */
    void extract<T>(out T hdr);

    /* The same for a header with one varbit field, which gets variableFieldSizeInBits bits. */
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);

    /* The next bits as a value of type T; the cursor stays. */
    T lookahead<T>();

    /* Skips bits. */
    void advance(in bit<32> sizeInBits);

    /* The length of the whole packet in bytes. */
    bit<32> length();
}

/* The packet as a deparser builds it. */
extern packet_out {
    /* Appends a header if it is valid; of structs, stacks and unions every valid header in order. */
    void emit<T>(in T hdr);
}

/* Stops the parser with an error unless the check holds. */
extern void verify(in bool check, in error toSignal);

/* Checked while compiling; false stops the compiler with the message. Yields the value of the check. */
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

/* Does nothing: the default action of tables that name none. */
@noWarn("unused")
action NoAction() {}

match_kind {
    exact,    // equal bit for bit
    ternary,  // equal under a mask
    lpm       // longest prefix wins
}

#endif
