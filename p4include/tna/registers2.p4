/* tna/registers2.p4 - code that runs on a cell of a register, in T2NA. */

#ifndef _TNA_REGISTERS_P4_
#define _TNA_REGISTERS_P4_

/* The methods that `apply` can call. */
#define T2NA_ACTION_METHODS(P) \
    P address(@optional bit<1> subword); \
    P predicate(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3); \
    bit<8> min8<V>(in V val, in bit<16> mask, @optional out bit<4> index); \
    bit<8> max8<V>(in V val, in bit<16> mask, @optional out bit<4> index); \
    bit<16> min16<V>(in V val, in bit<8> mask, @optional out bit<3> index); \
    bit<16> max16<V>(in V val, in bit<8> mask, @optional out bit<3> index);

/* The same, for actions whose results have several types. */
#define T2NA_GENERIC_ACTION_METHODS \
    P address<P>(@optional bit<1> subword); \
    P predicate<P>(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3); \
    bit<8> min8<V>(in V val, in bit<16> mask, @optional out bit<4> index); \
    bit<8> max8<V>(in V val, in bit<16> mask, @optional out bit<4> index); \
    bit<16> min16<V>(in V val, in bit<8> mask, @optional out bit<3> index); \
    bit<16> max16<V>(in V val, in bit<8> mask, @optional out bit<3> index);

/* The methods of actions on several bytes of a cell. */
#define T2NA_MIN_MAX_METHODS(WIDTH) \
    bit<8> min8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, @optional in int<WIDTH> postmod); \
    bit<8> max8(in bit<128> val, in bit<16> mask, @optional out bit<4> index, @optional in int<WIDTH> postmod); \
    bit<16> min16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, @optional in int<WIDTH> postmod); \
    bit<16> max16(in bit<128> val, in bit<8> mask, @optional out bit<3> index, @optional in int<WIDTH> postmod);


/* `execute` reads the cell, runs `apply` and writes the cell, as one step for other packets. */
extern RegisterAction<T, H, U> {
    RegisterAction(Register<_, _> reg);
    U execute(@optional in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    U execute_log(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U enqueue(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U dequeue(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U push(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    U pop(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    void sweep(@optional in U busy);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop, sweep)
    abstract void apply(inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(enqueue, push)
    @optional abstract void overflow(@optional inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(dequeue, pop)
    @optional abstract void underflow(@optional inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    T2NA_ACTION_METHODS(U)
}

extern RegisterAction2<T, H, U1, U2> {
    RegisterAction2(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2);
    U1 execute_log(out U2 rv2);
    U1 enqueue(out U2 rv2);
    U1 dequeue(out U2 rv2);
    U1 push(out U2 rv2);
    U1 pop(out U2 rv2);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2);
    @synchronous(enqueue, push)
    @optional abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2);
    @synchronous(dequeue, pop)
    @optional abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv2);
    T2NA_GENERIC_ACTION_METHODS
}

extern RegisterAction3<T, H, U1, U2, U3> {
    RegisterAction3(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3);
    U1 execute_log(out U2 rv2, out U3 rv3);
    U1 enqueue(out U2 rv2, out U3 rv3);
    U1 dequeue(out U2 rv2, out U3 rv3);
    U1 push(out U2 rv2, out U3 rv3);
    U1 pop(out U2 rv2, out U3 rv3);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    @synchronous(enqueue, push)
    @optional abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    @synchronous(dequeue, pop)
    @optional abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    T2NA_GENERIC_ACTION_METHODS
}

extern RegisterAction4<T, H, U1, U2, U3, U4> {
    RegisterAction4(Register<_, _> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    U1 execute_log(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 enqueue(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 dequeue(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 push(out U2 rv2, out U3 rv3, out U4 rv4);
    U1 pop(out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute, execute_log, enqueue, dequeue, push, pop)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(enqueue, push)
    @optional abstract void overflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(dequeue, pop)
    @optional abstract void underflow(@optional inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    T2NA_GENERIC_ACTION_METHODS
}

/* The cell is that of the entry that the table has found. */
extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute(@optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(execute)
    abstract void apply(inout T value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    T2NA_ACTION_METHODS(U)
}

extern DirectRegisterAction2<T, U1, U2> {
    DirectRegisterAction2(DirectRegister<T> reg);
    U1 execute(out U2 rv2);
    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2);
    T2NA_GENERIC_ACTION_METHODS
}

extern DirectRegisterAction3<T, U1, U2, U3> {
    DirectRegisterAction3(DirectRegister<T> reg);
    U1 execute(out U2 rv2, out U3 rv3);
    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3);
    T2NA_GENERIC_ACTION_METHODS
}

extern DirectRegisterAction4<T, U1, U2, U3, U4> {
    DirectRegisterAction4(DirectRegister<T> reg);
    U1 execute(out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute)
    abstract void apply(inout T value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    T2NA_GENERIC_ACTION_METHODS
}

/* Actions that learn a digest of a key. */
extern LearnAction<T, H, D, U> {
    LearnAction(Register<T, H> reg);
    U execute(in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    T2NA_ACTION_METHODS(U)
}

extern LearnAction2<T, H, D, U1, U2> {
    LearnAction2(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2);
    T2NA_GENERIC_ACTION_METHODS
}

extern LearnAction3<T, H, D, U1, U2, U3> {
    LearnAction3(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2, out U3 rv3);
    T2NA_GENERIC_ACTION_METHODS
}

extern LearnAction4<T, H, D, U1, U2, U3, U4> {
    LearnAction4(Register<T, H> reg);
    U1 execute(in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute)
    abstract void apply(inout T value, in D digest, in bool learn, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    T2NA_GENERIC_ACTION_METHODS
}

extern MinMaxAction<T, H, U> {
    MinMaxAction(Register<T, _> reg);
    U execute(@optional in H index, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, @optional out U rv1, @optional out U rv2, @optional out U rv3, @optional out U rv4);
    U address(@optional bit<1> subword);
    U predicate(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3);
    T2NA_MIN_MAX_METHODS(8)
}

extern MinMaxAction2<T, H, U1, U2> {
    MinMaxAction2(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2);
    P address<P>(@optional bit<1> subword);
    P predicate<P>(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3);
    T2NA_MIN_MAX_METHODS(9)
}

extern MinMaxAction3<T, H, U1, U2, U3> {
    MinMaxAction3(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2, out U3 rv3);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2, out U3 rv3);
    P address<P>(@optional bit<1> subword);
    P predicate<P>(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3);
    T2NA_MIN_MAX_METHODS(9)
}

extern MinMaxAction4<T, H, U1, U2, U3, U4> {
    MinMaxAction4(Register<T, _> reg);
    U1 execute(@optional in H index, out U2 rv2, out U3 rv3, out U4 rv4);
    @synchronous(execute)
    abstract void apply(inout bit<128> value, out U1 rv1, out U2 rv2, out U3 rv3, out U4 rv4);
    P address<P>(@optional bit<1> subword);
    P predicate<P>(@optional in bool cmp0, @optional in bool cmp1, @optional in bool cmp2, @optional in bool cmp3);
    T2NA_MIN_MAX_METHODS(9)
}

#endif
