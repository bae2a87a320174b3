"""What labs are made of and what runs them; :mod:`weir.labs` exports what labs need."""
