// A table that names no default has core.p4's `NoAction`, so nothing else may have that name.
action NoAction(in bit<8> x) {
}

control Work(inout bit<8> x) {
    table idle { // ERROR not-an-action
        actions = { }
    }
    table own {
        actions = { NoAction(x); }
        default_action = NoAction(x);
    }
    apply {
        idle.apply();
        own.apply();
    }
}
