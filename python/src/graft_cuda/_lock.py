"""Locks that a forked process gets anew, because a thread that its parent had may hold them for ever."""

from __future__ import annotations

import os
import threading
from weakref import WeakSet

_all: WeakSet[Lock] = WeakSet()


class Lock:
    """threading.Lock, which is free after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def _renew() -> None:
    for lock in _all:
        lock._lock = threading.Lock()


os.register_at_fork(after_in_child=_renew)
