"""Requests to the control plane that should not exist."""

from torture.case import Class
from torture.control.load import flood, million, threads
from torture.control.requests import calls, command_files, commands, document_files, documents

CLASS = Class(
    "control",
    {
        "commands": (30, commands),
        "command-files": (15, command_files),
        "documents": (25, documents),
        "document-files": (10, document_files),
        "calls": (20, calls),
        "flood": (2, flood),
        "threads": (2, threads),
        "million": (0.02, million),
    },
    cpu_seconds=120.0,
)
