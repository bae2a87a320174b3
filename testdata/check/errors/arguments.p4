// Which arguments may be left out.
extern void early(in bit<8> weight = 2, in bit<8> value);
extern void mixed(in bit<8> value, @optional in bit<8> reason, in bit<8> level = 1);

void calls(in bit<8> x) {
    early(x); // ERROR argument-count
    early(weight = x); // ERROR argument-count
    early(); // ERROR argument-count
    early(value = x);
    early(x, x);
    mixed(x); // ERROR mixed-arguments
    mixed(value = x);
    mixed(); // ERROR argument-count
}
