// Implementations of abstract methods may leave out optional parameters only.
extern Cell<T, U> {
    Cell();
    abstract void change(inout T value, @optional in U first, @optional out U last);
}

Cell<bit<8>, bit<16>>() all = {
    void change(inout bit<8> value, in bit<16> first, out bit<16> last) { last = first; }
};
Cell<bit<8>, bit<16>>() few = {
    void change(inout bit<8> value) { value = value + 1; }
};
Cell<bit<8>, bit<16>>() ends = {
    void change(inout bit<8> value, out bit<16> last) { last = 1; }
};
Cell<bit<8>, bit<16>>() none = {
    void change() { } // ERROR unknown-method
};
Cell<bit<8>, bit<16>>() more = {
    void change(inout bit<8> value, in bit<16> first, out bit<16> last, in bool flag) { last = 1; } // ERROR unknown-method
};
Cell<bit<8>, bit<16>>() other = {
    void change(inout bit<8> value, in bit<8> first) { value = 1; } // ERROR type-mismatch
};
