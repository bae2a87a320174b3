#include <gaurded.p4>
#include "oncce.p4"
#include <some_other_architecture.p4>
const bit<8> X = 1;
