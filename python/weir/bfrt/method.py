"""A method of a table, with the fields of the table as parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weir.bfrt.error import BfRtTableError
from weir.bfrt.names import parameters
from weir.bfrt.schema import Field
from weir.text.suggest import nearest

_TARGET = {"pipe": None, "gress_dir": None, "prsr_id": None}
"""The parameters of all methods that name a part of the device."""


class Method:
    """A method of a table: fields of the key and the data as parameters, and others.

    Attributes:
        parameters: the fields with the names of their parameters.
        options: further parameters with their defaults.
    """

    def __init__(
        self,
        name: str,
        key: Sequence[Field],
        data: Sequence[Field],
        options: Mapping[str, Any],
        run: Callable[..., Any],
        doc: str,
    ) -> None:
        self.__name__ = name
        self.parameters = parameters(key, data)
        self.options = {**options, **_TARGET}
        self._key_length = len(key)
        self._run = run
        names = [part for _, parts in self.parameters for part in parts]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature(
            [
                *(inspect.Parameter(part, kind, default=None) for part in names),
                *(inspect.Parameter(part, kind, default=value) for part, value in self.options.items()),
            ]
        )
        sizes = [f"    {', '.join(parts)}: {_type(field)}" for field, parts in self.parameters]
        self.__doc__ = "\n".join([doc, *sizes])

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Runs the method with values for its parameters.

        Raises:
            BfRtTableError: there is no such parameter.
        """
        try:
            bound = self.__signature__.bind(*args, **named)
        except TypeError as e:
            parameters = list(self.__signature__.parameters)
            wrong = [name for name in named if name not in parameters]
            suggestion = nearest(wrong[0], parameters) if wrong else None
            raise BfRtTableError(
                f"{self.__name__}: {e}; it has {', '.join(parameters)}", suggestion=suggestion
            ) from None
        arguments = bound.arguments
        key: dict[bytes, Any] = {}
        data: dict[bytes, Any] = {}
        for place, (field, parts) in enumerate(self.parameters):
            values = [arguments.get(part) for part in parts]
            if place < self._key_length:
                key[field.name.encode()] = values if len(values) == 2 else values[0]
            elif values[0] is not None:
                data[field.name.encode()] = values[0]
        options = {name: arguments.get(name, default) for name, default in self.options.items()}
        return self._run(key, data, options)


def _type(field: Field) -> str:
    kind = f"{field.width} bits" if field.kind == "uint" else field.kind
    listed = f"list of {kind}" if field.is_list else kind
    return f"{listed}, {field.match}" if field.match else listed
