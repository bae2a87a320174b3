// A backslash joins lines inside tokens, as in C.
#define LONG_NAME_THAT_\
CONTINUES 8w0x\
ff

#def\
ine SECOND LONG_NAME_THAT_CONTINUES

const bit<8> FIRST = LONG_NAME_THAT_CONT\
INUES;
const bit<16> BOTH = FIRST +\
+ SECOND;
@description("one \
line")
const bool EQUAL = FIRST =\
= SECOND;
