"""The parts of labs, and the code that runs labs; :mod:`weir.labs` exports what labs need."""
