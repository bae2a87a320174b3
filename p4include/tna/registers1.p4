/* tna/registers1.p4 - code that runs on a cell of a register, in TNA. */

#ifndef _TNA_REGISTERS_P4_
#define _TNA_REGISTERS_P4_

/* `execute` reads the cell, runs `apply` and writes the cell, as one step for other packets. */
extern RegisterAction<T, I, U> {
    RegisterAction(Register<_, _> reg);
    U execute(in I index);
    U execute_log();    // the index is the number of earlier calls
    @synchronous(execute, execute_log)
    abstract void apply(inout T value, @optional out U rv);
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

/* The cell is that of the entry that the table has found. */
extern DirectRegisterAction<T, U> {
    DirectRegisterAction(DirectRegister<T> reg);
    U execute();
    @synchronous(execute)
    abstract void apply(inout T value, @optional out U rv);
    U predicate(@optional in bool cmplo, @optional in bool cmphi);
}

#endif
