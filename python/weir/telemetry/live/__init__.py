"""The live view: what recent reports tell, and tables of it for a terminal."""
