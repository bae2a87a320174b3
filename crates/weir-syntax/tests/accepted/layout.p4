;;
control
c
(in bit<8>x)
{
table t
{
key = {
x
: exact;
}
const
entries = {
}
actions = { }
}
const bit<8> local = 1;
action a() {
}
apply {
t.apply( ) ;
}
}
;
const bit<8>/* comment */y/**/=/***/1/* **/;//end
