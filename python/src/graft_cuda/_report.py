"""How a kernel was made: what graft::Report holds, for people and for notebooks."""

from __future__ import annotations

import html
import json
from typing import Any


class Report:
    """The report of one kernel. ``print(report)`` shows it; ``report["resources"]`` reads a field of its JSON form.

    The fields are those of ``graft::Report::to_json``: ``route``, ``inlined``, ``resources``, ``notes``, ``source`` and
    others; ``report.data`` is the whole dictionary.
    """

    def __init__(self, text: str, json_text: str) -> None:
        self._text = text
        self.data: dict[str, Any] = json.loads(json_text)

    def __getitem__(self, field: str) -> Any:
        return self.data[field]

    @property
    def route(self) -> str:
        """The route that made the kernel: "lto", "program", "ptx", "indirect" or "host"."""
        return self.data["route"]

    @property
    def inlined(self) -> bool:
        """Whether the callback was inlined into the kernel."""
        return self.data["inlined"]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        title, *lines = self._text.splitlines()
        rows = []
        for line in filter(str.strip, lines):  # a name in the first 16 columns, or none where the entry goes on
            name, value = html.escape(line[:16].strip()), html.escape(line[16:])
            rows.append(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{value}</td></tr>")
        return f"<table><caption>{html.escape(title)}</caption>{''.join(rows)}</table>"
