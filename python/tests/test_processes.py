"""Callbacks go to other processes: pickled, by spawn, and by fork."""

import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest

import graft_cuda as graft

RELU = "__device__ float relu(float x) { return x > 0 ? x : 0; }"
FORMULA = graft.formula("a * x", "f32 x; f32 a")
LOAD = "__device__ float load(void* data, unsigned long long i, void*, void*) { return ((short*)data)[i]; }"


@pytest.mark.parametrize(
    "callback",
    [
        graft.Callback(RELU),
        graft.Callback.source(RELU, "\u00e4.cu").with_entry("relu").with_folder("/tmp"),
        graft.Callback.source("float relu(float);").with_link_input(graft.Callback.object(b"\x7fELF" + bytes(60))),
        FORMULA,
        graft.chain(FORMULA, RELU),
        graft.chain(graft.chain(FORMULA, RELU), RELU),
        graft.stages(load=LOAD, op=RELU),
        graft.Callback.ltoir(b"\xed\x43\x4e\x7f" + bytes(range(256))).with_signature("float f(float)"),
        graft.Callback.nvvm("; NVVM IR", libdevice=True).with_signature("float f(float)"),
        graft.Callback.ptx(".version 8.0").with_signature("float f(float)"),
    ],
    ids=lambda callback: f"{callback.form}-{callback.name}",
)
def test_a_callback_is_pickled(callback):
    again = pickle.loads(pickle.dumps(callback))
    assert again == callback and hash(again) == hash(callback)


def test_a_pickled_callback_keeps_its_state():
    for callback in (FORMULA, graft.chain(FORMULA, RELU)):
        again = graft.Transform(pickle.loads(pickle.dumps(callback)), device="host")
        assert again(np.float32([1, -2]), a=3).tolist()[0] == 3


def work(callback, x):
    return graft.Transform(callback, device="host")(x, a=3)


def test_a_process_that_is_spawned():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(work, (FORMULA, np.float32([1, -2]))).tolist() == [3, -6]


def test_a_process_that_is_forked():
    program = """
import os, numpy as np, graft_cuda as graft
x = np.float32([1, -2])
twice = graft.Transform("[](float x) { return 2 * x; }", device="host")
assert twice(x).tolist() == [2, -4]
graft.Transform.create_async("[](float x) { return 5 * x; }", device="host").result()
child = os.fork()
if child == 0:
    assert twice(x).tolist() == [2, -4]                        # what the parent made
    assert graft.evaluate("x + 1", x=x).tolist() == [2, -1]    # what the child makes
    five = graft.Transform.create_async("[](float x) { return 5 * x; }", device="host").result(timeout=60)
    assert five(x).tolist() == [5, -10]
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)


def test_a_fork_while_another_thread_holds_a_lock():
    program = """
import os, signal, threading, numpy as np, graft_cuda as graft
from graft_cuda import _engine
twice = graft.transform("2 * x")
held, done = threading.Event(), threading.Event()
def hold():
    with _engine._lock, twice._lock:
        held.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    assert twice(np.float32([1, -2])).tolist() == [2, -4]
    os._exit(0)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
done.set()
thread.join()
assert status == 0, status
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=100)
