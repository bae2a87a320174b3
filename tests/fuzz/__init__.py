"""Coverage-guided fuzzing of Python's decoders for data from the network, with Atheris."""
