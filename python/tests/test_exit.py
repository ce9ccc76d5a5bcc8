"""How programs end that still have objects of graft: silently, and without a signal."""

import subprocess
import sys
import textwrap

import pytest

START = """
import sys, threading, time
import numpy as np
import graft_cuda as graft
def made(factor=1):
    return graft.Transform(f"[](float x) {{ return {factor} * x; }}", device="host")
"""

PROGRAMS = {
    "globals": """
        engine, transform = graft.Engine(cache="off"), made()
        report, signature, callback = transform.report, transform.signature, graft.Callback("text")
        total = graft.Reduce("[](float a, float b) { return a + b; }", device="host")
        fft, norm = graft.Fft(16, device="host"), graft.reduction("a + b", map="x * x")
        results = transform(np.ones(3, np.float32)), norm(np.ones(3)), graft.evaluate("2 * x", x=np.ones(3))
    """,
    "futures": """
        done = graft.Transform.create_async("[](float x) { return x; }", device="host")
        done.result()
        begun = [graft.Transform.create_async(f"[](float x) {{ return {i} * x; }}", device="host") for i in range(4)]
    """,
    "exceptions": """
        def main():
            global kept
            transform = made()
            try:
                transform(np.zeros(3))
            except graft.GraftError as error:
                kept = error
                sys.exit(0)
        main()
    """,
    "cycles": """
        def main():
            engine, callback, transform = graft.Engine(cache="off"), graft.Callback("text"), made()
            engine.transform, transform.engine, transform.me = transform, engine, transform
            callback.function = lambda: (callback, transform)
        main()
    """,
    "caches": """
        import functools
        @functools.lru_cache
        def cached(factor):
            return made(factor)
        cached(2)(np.ones(3, np.float32))
        def default(transform=made()): ...
        class Owner:
            transform = made()
        sys.transform = made()
        threading.local().transform = made()
    """,
    "types": """
        import functools, typing
        @functools.singledispatch
        def function(x: typing.Optional[graft.Callback]): ...
        function.register(graft.Callback, lambda x: made())
        function(graft.Callback("text"))
        class Own(graft.Transform): ...
        own = Own("[](float x) { return x; }", device="host")
    """,
    "classes of arrays": """
        def main():
            transform = made()
            class Array:
                @property
                def __array_interface__(self):
                    return transform and np.ones(3, np.float32).__array_interface__
            transform(Array())
            for other in (transform, graft.Callback("text"), graft.default_engine()):
                try:
                    transform(other)
                except graft.GraftError:
                    pass
        main()
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_left_when_the_process_ends(name):
    done = run(START + "graft._core.report_leaks()\n" + textwrap.dedent(PROGRAMS[name]))
    assert done.returncode == 0 and done.stderr == "", done.stderr  # nanobind says what is left


@pytest.mark.parametrize("call", ["transform(x)", "made(time.perf_counter())"])
def test_a_daemon_thread_that_works_when_python_ends(call):
    """It is not stopped, and has objects: neither ends the process by a signal, nor prints."""
    work = f"""
        x, transform = np.ones(3, np.float32), made()
        def work():
            while True:
                {call}
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
    """
    for _ in range(5):
        done = run(START + textwrap.dedent(work))
        assert done.returncode == 0 and done.stderr == "", done.stderr


def test_a_first_call_when_python_ends():
    """Its arrays' library is gone then. The message says so, and none is of Python's imports."""
    done = run(
        START
        + textwrap.dedent("""
            class Owner:
                def __init__(self):
                    self.transform, self.x = made(), np.ones(3, np.float32).view(Own)
                def __del__(self):
                    self.transform(self.x)
            class Own(np.ndarray): ...
            owner = Owner()
        """)
    )
    assert done.returncode == 0 and "ImportError" not in done.stderr, done.stderr
    assert "while Python ends" in done.stderr, done.stderr


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
