"""Coverage-guided fuzzing of what Python decodes of the network, with Atheris."""
