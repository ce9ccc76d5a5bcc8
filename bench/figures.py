#!/usr/bin/env python3
"""Writes the tables of README.md and bench/README.md from the records of bench/results, so that no figure on these
pages is typed by hand.

    bench/figures.py            writes the tables
    bench/figures.py --check    writes nothing; the exit status is 1 if a page differs from the records, or if a
                                picture in docs/ was drawn from another record than the record in bench/results

Each table is on one of the pages, between two lines. The script replaces everything between the two lines:

    <!-- figures: NAME -->
    <!-- end -->

The script uses only Python's standard library, because the check runs on machines without matplotlib. bench/plot.py
draws the pictures. A ratio is graft's speed divided by the other contender's, so graft is faster if it is above 1.
"""

import argparse
import difflib
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ("README.md", "bench/README.md")
LARGE = 64 << 20  # bytes of a cell's largest array; a cell with a smaller largest array counts as a "small" launch
BEHIND = 0.98  # graft is "behind" a peer in a cell if its ratio is below this number
PEERS = ("by hand", "cub", "thrust")
SHOWN = (  # the records from which the tables are made
    "cache",
    "chain",
    "create_cold",
    "create_forms",
    "create_many",
    "fft_16mib",
    "fft_accuracy",
    "fft_between",
    "fft_create",
    "fft_f32",
    "fft_f64",
    "first_call",
    "host_overhead",
    "host_overhead_python",
    "misaligned",
    "routes",
    "throughput",
    "throughput_newer",
    "throughput_python",
)

# The names in the tables for the operations and types of bench/throughput/operations.hpp.
CALLBACKS = {
    ("mul", "i8"): "`int8` times 3",
    ("mul", "f32"): "`float` times 0.4",
    ("triad", "f32"): "triad, two inputs",
    ("gray", "u8x3"): "RGB8 to gray",
    ("scale", "i16x3"): "6-byte structs",
    ("scale", "f32x3"): "12-byte structs",
    ("gelu", "f16"): "gelu of half, with `erff`",
    ("gelu", "f32"): "gelu of float, with `erff`",
    ("black_scholes", "f32"): "Black-Scholes, 3 to 2 arrays",
    ("divergent", "f32"): "a loop that diverges",
}
ROUTE_CALLBACKS = {
    "relu": "relu",
    "gelu": "gelu, with `erff`",
    "waves": "sin times cos",
    "chain64": "64 dependent operations",
    "chain256": "256 dependent operations",
    "divergent": "a loop that diverges",
}
# The contenders of bench/peers and their names in the tables.
OTHERS = {
    "graft": "graft",
    "cuda.core JIT-LTO": "cuda.core, NVIDIA's JIT-LTO sample",
    "CuPy ElementwiseKernel": "CuPy `ElementwiseKernel`",
    "PyTorch jiterator": "PyTorch jiterator",
    "torch.compile": "`torch.compile`",
    "Triton": "Triton",
    "cuda.compute": "cuda.compute",
}
# The records from which each picture of docs/ is drawn. The picture contains the commit and date of each of them
# (bench/pictures).
PICTURES = {
    "throughput": ["throughput", "throughput_newer"],
    "peers": ["throughput_python"],
    "routes": ["routes"],
    "create": ["create_cold", "cache", "create_forms", "first_call"],
    "overhead": ["host_overhead", "host_overhead_python", "chain"],
    "fft_speed": ["fft_f32", "fft_f64"],
}


# ---- formatting of words and numbers ----


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def count_words(count):
    """Formats a count: a power of two as 2^20, any other count with commas."""
    return f"2^{count.bit_length() - 1}" if count & (count - 1) == 0 else f"{count:,}"


def milliseconds(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def ms_range(values):
    low, high = milliseconds(min(values)), milliseconds(max(values))
    return f"{low} ms" if low == high else f"{low} to {high} ms"


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def ratio_words(ratio):
    return "" if ratio is None else f"{ratio:.2f}"


# ---- cells (measurements) of bench_throughput ----


def version_words(record):
    """Returns the record's version of CCCL without a final ".0": 3.0.1 stays 3.0.1, and 3.5.0 becomes 3.5."""
    return record["cccl"].removesuffix(".0")


def aligned_cells(record):
    return [cell for cell in record["cells"] if cell["alignment"] == "aligned"]


def ratio_of(cell, peer):
    entry = cell["ratios"].get(peer)
    return entry["ratio"] if entry else None


def find_cell(record, operation, kind, count):
    for cell in aligned_cells(record):
        if (cell["operation"], cell["type"], cell["count"]) == (operation, kind, count):
            return cell
    raise KeyError(f"the record has no cell {operation} {kind} {count}")


def largest_count(record, operation, kind):
    return max(c["count"] for c in aligned_cells(record) if (c["operation"], c["type"]) == (operation, kind))


def is_large(cell):
    return cell["array_bytes"] >= LARGE


# Returns the columns of the throughput tables: title, record, and the contender with which the record compares graft.
def ratio_columns(records):
    old, new = records["throughput"], records["throughput_newer"]
    return [
        ("by hand, nvcc", old, "by hand"),
        (f"CUB {version_words(old)}", old, "cub"),
        (f"Thrust {version_words(old)}", old, "thrust"),
        (f"CUB {version_words(new)}", new, "cub"),
        (f"Thrust {version_words(new)}", new, "thrust"),
    ]


def summary_rows(columns, chosen, empty):
    """Returns the geometric mean and the smallest ratio of all cells for which `chosen` returns true."""
    ratios = [[r for c in aligned_cells(rec) if chosen(c) and (r := ratio_of(c, peer))] for _, rec, peer in columns]
    yield [f"**all {len(ratios[0])} cells, geometric mean**", *empty, *(ratio_words(geometric_mean(r)) for r in ratios)]
    yield [f"all {len(ratios[0])} cells, smallest", *empty, *(ratio_words(min(r)) for r in ratios)]


def large(records):
    columns, record = ratio_columns(records), records["throughput"]
    rows = []
    for (operation, kind), words in CALLBACKS.items():
        key = (operation, kind, largest_count(record, operation, kind))
        cell = find_cell(record, *key)
        ratios = [ratio_words(ratio_of(find_cell(rec, *key), peer)) for _, rec, peer in columns]
        speed = f"{cell['contenders']['graft']['gbs']:.0f}"
        rows.append([words, speed, ratio_words(ratio_of(cell, "memcpy")), *ratios])
    rows += summary_rows(columns, is_large, ["", ""])
    return table(["callback", "GB/s", "`cudaMemcpyAsync`", *(title for title, _, _ in columns)], rows)


def small(records):
    columns, record = ratio_columns(records), records["throughput"]
    rows = []
    for (operation, kind), words in CALLBACKS.items():
        for count in (1 << 16, 1 << 20):
            cell = find_cell(record, operation, kind, count)
            ratios = [ratio_words(ratio_of(find_cell(rec, operation, kind, count), peer)) for _, rec, peer in columns]
            rows.append([words, count_words(count), f"{cell['contenders']['graft']['us']:.2f}", *ratios])
    rows += summary_rows(columns, lambda cell: not is_large(cell), ["", ""])
    return table(["callback", "elements", "µs", *(title for title, _, _ in columns)], rows)


def behind(records):
    """Lists every cell in which a peer is faster than graft by more than 2 %, then the peers that have no such cell."""
    lines, nowhere = [], []
    for name in ("throughput", "throughput_newer", "misaligned"):
        record = records[name]
        is_aligned = name != "misaligned"
        cells = [cell for cell in record["cells"] if (cell["alignment"] == "aligned") == is_aligned]
        for peer, title in zip(PEERS, ("by hand", f"CUB {version_words(record)}", f"Thrust {version_words(record)}")):
            title += "" if is_aligned else ", misaligned arrays"
            found = lines_behind(title, peer, cells)
            lines += found
            if not found:
                nowhere.append(f"{title} ({len(cells)} cells)")
    for cell in records["throughput_python"]["cells"]:
        ratios = {who: entry["ratio"] for who, entry in cell["graft_over"].items() if who != "cudaMemcpyAsync"}
        found = [f"{who} {ratio_words(ratio)}" for who, ratio in ratios.items() if ratio < BEHIND]
        if found:
            lines.append(f"- {cell['case']}, from Python: {', '.join(found)}")
        else:
            nowhere.append(f"from Python, {cell['case']} ({len(ratios)} others)")
    return [*lines, f"- In no cell: {'; '.join(dict.fromkeys(nowhere))}"]


def lines_behind(title, peer, cells):
    """Returns one line for each element count that has cells in which graft is slower than the peer.

    An example is "- CUB 3.5, 2^20 elements, 5 of 48 cells: gray u8x3 0.77, ...".
    """
    lines = []
    for count in sorted({cell["count"] for cell in cells}):
        here = [cell for cell in cells if cell["count"] == count]
        found = [cell for cell in here if ratio_of(cell, peer) and ratio_of(cell, peer) < BEHIND]
        if found:
            size = "from 64 MiB on" if is_large(found[0]) else "below 64 MiB"
            names = {}
            for cell in found:
                words = f"{cell['type']} {ratio_words(ratio_of(cell, peer))}"
                names.setdefault(cell["operation"].replace("_", " "), []).append(words)
            list_of = "; ".join(f"{operation} {', '.join(words)}" for operation, words in names.items())
            lines.append(
                f"- {title}, {count_words(count)} elements ({size}), {len(found)} of {len(here)} cells: {list_of}"
            )
    return lines


def misaligned(records):
    """Returns the speed on misaligned arrays divided by the speed of the same callback on aligned arrays."""
    rows = []
    for alignment, words in (("alike", "all arrays one element off"), ("unlike", "each array off by another number")):
        cells = [c for c in records["misaligned"]["cells"] if c["alignment"] == alignment]
        ratios = [[ratio_of(c, "aligned") for c in cells if is_large(c) == size] for size in (False, True)]
        rows.append([words, *(f"{min(r):.2f} to {max(r):.2f}" for r in ratios)])
    return table(["alignment", "below 64 MiB", "from 64 MiB on"], rows)


# ---- the costs of create and execute ----


def median_of(entry):
    """Returns the median of a record's entry in milliseconds."""
    if "unit" in entry:
        return entry["median"] / {"ms": 1, "us": 1000}[entry["unit"]]
    return entry["median_ms"]


def creates_from_source(records, state):
    """Lists the times of a create from source, one from each record that contains this time."""
    forms = records["create_forms"]["cells"]
    return [
        median_of(records["create_cold"]["graft"][state]["total"]),
        median_of(next(c for c in forms if (c["form"], c["route"]) == ("source", "lto"))[state]),
        median_of(records["first_call"]["contenders"]["graft, create alone in C++"][state]),
    ]


def form_milliseconds(records, form, route):
    cells = records["create_forms"]["cells"]
    return milliseconds(median_of(next(c for c in cells if (c["form"], c["route"]) == (form, route))["cold"]))


def many(records, threads):
    cells = records["create_many"]["cells"]
    return milliseconds(median_of(next(c for c in cells if (c["callbacks"], c["threads"]) == (64, threads))))


def costs(records):
    cold = {name: median_of(entry) for name, entry in records["create_cold"]["graft"]["cold"].items()}
    floor = median_of(records["create_cold"]["floor"]["cold"]["total"])
    cache = records["cache"]
    host = {name: f"{way['median_ns'] / 1000:.1f}" for name, way in records["host_overhead"]["ways"].items()}
    chain = next(c for c in records["chain"]["cells"] if c["count"] == 4096)["ways"]
    together = {name: f"{way['together']['median_us']:.0f}" for name, way in chain.items()}
    rows = [
        ["`create` from source, new process, all caches off", ms_range(creates_from_source(records, "cold"))],
        [
            "&nbsp;&nbsp;its steps: open the tools, compile, link, load",
            ", ".join(milliseconds(cold[s]) for s in ("open tools", "compile", "link", "load")) + " ms",
        ],
        [
            "&nbsp;&nbsp;the same tools used by hand for an empty kernel",
            f"{milliseconds(floor)} ms (graft: {cold['total'] / floor:.2f} times that)",
        ],
        ["`create` of another callback in the same process", ms_range(creates_from_source(records, "warm"))],
        [
            "`create` of 64 different callbacks, new process, on 1 thread and on 16",
            f"{many(records, 1)} ms and {many(records, 16)} ms",
        ],
        ["`create` from LTO-IR, new process", f"{form_milliseconds(records, 'LTO-IR', 'lto')} ms"],
        [
            "`create` from a pack, new process: by nvJitLink; by the driver; with finished kernels in it",
            f"{form_milliseconds(records, 'pack', 'lto')} ms; {form_milliseconds(records, 'pack', 'program')} ms; "
            f"{form_milliseconds(records, 'pack with cubins', 'lto')} ms",
        ],
        [
            "`create`, kernel in the disk cache, new process",
            f"{milliseconds(median_of(cache['disk_hit']))} ms "
            f"(the driver alone needs {milliseconds(median_of(cache['bare_load']))} to load that kernel)",
        ],
        ["`create`, kernel made before in the process", f"{milliseconds(1000 * median_of(cache['memory_hit']))} µs"],
        [
            "`execute`: host time of a call",
            f"{host['graft']} µs (`cuLaunchKernel` {host['cuLaunchKernel']}, `<<<>>>` {host['<<<>>>']}, "
            f"`cub::DeviceTransform` {host['cub::DeviceTransform']})",
        ],
        [
            "100 launches of 4,096 elements, each needing the one before, until the last has ended",
            f"{together['graft, programmatic']} µs (by hand with the same launch attribute "
            f"{together['by hand, programmatic']}, without {together['by hand']}, "
            f"`cub::DeviceTransform` {together['cub::DeviceTransform']})",
        ],
    ]
    return table(["what", "time"], rows)


def others(records):
    """Compares graft with other ways to make a kernel from a formula at run time."""
    calls, overhead = records["first_call"]["contenders"], records["host_overhead_python"]["contenders"]
    speeds = {cell["case"]: cell["contenders"] for cell in records["throughput_python"]["cells"]}
    rows = [
        [
            words,
            milliseconds(median_of(calls[name]["cold"])),
            milliseconds(median_of(calls[name]["warm"])),
            *(f"{speeds[case][name]['median_gbs']:,.0f}" for case in ("relu f32", "gelu f32", "gelu f16")),
            f"{overhead[name]['median_us']:.1f}",
        ]
        for name, words in OTHERS.items()
    ]
    header = ["", "first result, ms", "next callback, ms", "relu f32, GB/s", "gelu f32", "gelu f16", "host time, µs"]
    return table(header, rows)


def routes(records):
    callbacks = {callback["name"]: callback["ways"] for callback in records["routes"]["callbacks"]}
    ways = ("lto", "program", "ptx", "indirect", "legacy")
    rows = [
        [words, *(f"{callbacks[name][way]['median_ms']:.2f}" for way in ways)]
        for name, words in ROUTE_CALLBACKS.items()
    ]
    return table(["callback", *(f"`{way}`" for way in ways[:-1]), "legacy"], rows)


# The rows of the table of FFTs: words, the key in the records' rows, the key of what it is divided by, the lengths, and
# the records that have these rows.
LARGE_FFTS = ("fft_f32", "fft_f64")
FFT_RATIOS = (
    ("without callbacks, against cuFFT without callbacks", "graft_ms", "cufft_ms", 2, 8192, LARGE_FFTS),
    ("load and store callbacks, against cuFFT without callbacks", "callbacks_ms", "cufft_ms", 2, 8192, LARGE_FFTS),
    ("the same, longer FFTs", "callbacks_ms", "cufft_ms", 8193, 1 << 24, LARGE_FFTS),
    ("the same, arrays of 16 MiB", "callbacks_ms", "cufft_ms", 2, 8192, ("fft_16mib",)),
    (
        "load and store callbacks, against cuFFT with the same callbacks",
        "callbacks_ms",
        "cufft_callbacks_ms",
        2,
        8192,
        LARGE_FFTS,
    ),
    ("load and store callbacks, against kernel + cuFFT + kernel", "callbacks_ms", "kernels_ms", 2, 8192, LARGE_FFTS),
    (
        "FFT, filter, inverse FFT in one kernel, against cuFFT with a store callback and cuFFT's inverse",
        "between_ms",
        "cufft_callback_ms",
        64,
        8192,
        ("fft_between",),
    ),
    ("rounding error (rms), against cuFFT's", "graft_eps", "cufft_eps", 2, 1 << 24, ("fft_accuracy",)),
)


def largest(ratios):
    """Returns the geometric mean of ratios by length, and the largest one with its length."""
    worst = max(ratios, key=ratios.get)
    return f"{geometric_mean(ratios.values()):.2f} (at most {ratios[worst]:.2f}, at {worst:,} points)"


def fft_ratio(rows, precision, measured, against, shortest, longest):
    chosen = [row for row in rows if row["precision"] == precision and shortest <= row["length"] <= longest]
    return largest(
        {row["length"]: row[measured] / row[against] for row in chosen if measured in row and against in row}
    )


def ffts(records):
    rows = []
    for words, *keys, names in FFT_RATIOS:
        measured = [row for name in names for row in records[name]["rows"]]
        rows.append([words, *(fft_ratio(measured, precision, *keys) for precision in ("f32", "f64"))])
    created = {
        row["length"]: row["graft"]["median_ms"] / row["cufft"]["median_ms"] for row in records["fft_create"]["rows"]
    }
    rows.append(["`create` in a new process, callbacks as LTO-IR, against making cuFFT's plan", largest(created), ""])
    return table(["graft / cuFFT", "f32", "f64"], rows)


# ---- the figures of README's first screen ----


def slowest_cell(records):
    """Returns the smallest ratio of graft's speed to a peer's, in words, with the peer and the cell."""
    cells = [
        (ratio, title, cell)
        for title, record, peer in ratio_columns(records)
        for cell in aligned_cells(record)
        if (ratio := ratio_of(cell, peer))
    ]
    ratio, title, cell = min(cells, key=lambda found: found[0])
    operation = CALLBACKS.get((cell["operation"], cell["type"]), f"{cell['operation']} {cell['type']}")
    return f"{ratio:.2f} of the speed of {title} ({operation}, {count_words(cell['count'])} elements)"


def slowest_fft(records):
    """Returns the largest ratio of the time of graft's FFTs to that of cuFFT without callbacks, with the FFT."""
    ratio, row, words, size = max(
        (
            (row[key] / row["cufft_ms"], row, words, records[name]["bytes"])
            for name in (*LARGE_FFTS, "fft_16mib")
            for row in records[name]["rows"]
            for key, words in (("callbacks_ms", "with callbacks"), ("graft_ms", "without callbacks"))
        ),
        key=lambda found: found[0],
    )
    return f"{ratio:.2f} of it ({words}, {row['length']:,} points, {row['precision']}, {size >> 20} MiB)"


def summary(records):
    scale = find_cell(records["throughput"], "mul", "f32", largest_count(records["throughput"], "mul", "f32"))
    speed, memory = scale["contenders"]["graft"]["gbs"], ratio_of(scale, "memcpy")
    single, double = (
        geometric_mean([row["callbacks_ms"] / row["cufft_ms"] for row in records[name]["rows"] if row["length"] <= 8192])
        for name in LARGE_FFTS
    )
    disk = milliseconds(median_of(records["cache"]["disk_hit"]))
    cold = median_of(records["create_cold"]["graft"]["cold"]["total"])
    floor = median_of(records["create_cold"]["floor"]["cold"]["total"])
    execute = records["host_overhead"]["ways"]["graft"]["median_ns"] / 1000
    rows = [
        [
            "elementwise, `float` times 0.4, 2 GiB",
            f"{speed:,.0f} GB/s, {memory:.2f} of the speed of `cudaMemcpyAsync`",
            slowest_cell(records),
        ],
        [
            "FFT with load and store callbacks, 1 GiB",
            f"{single:.2f} (f32) and {double:.2f} (f64) of the time of cuFFT without callbacks (mean of 40 lengths)",
            slowest_fft(records),
        ],
        [
            "`create`, and the host time of an `execute`",
            f"{ms_range(creates_from_source(records, 'cold'))} from source in a new process, {disk} ms from the disk "
            f"cache; {execute:.1f} µs",
            f"{cold / floor:.2f} times what the same tools take for an empty kernel",
        ],
    ]
    return table(["", "measured", "worst comparison"], rows)


def machine(records):
    shown = [records[name] for name in SHOWN]
    driver = re.search(r"\d+\.\d+\.\d+", shown[0]["driver"])[0]
    dates = sorted(record["date"][:10] for record in shown)
    gpus = sorted({record["gpu"] for record in shown})
    commits = sorted({record["commit"] for record in shown})
    return [
        f"Measured on {' and '.join(gpus)}, driver {driver}, CUDA 13.0, from {dates[0]} to {dates[-1]}, at commits "
        + ", ".join(commits)
        + "."
    ]


TABLES = {
    "summary": summary,
    "machine": machine,
    "costs": costs,
    "others": others,
    "routes": routes,
    "large": large,
    "small": small,
    "behind": behind,
    "misaligned": misaligned,
    "ffts": ffts,
}

# ---- writing the tables into the pages ----

PLACE = re.compile(r"^<!-- figures: (\w+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)


def pages_with_tables(pages, records):
    """Returns the pages with tables made from the records. Raises ValueError if a table is missing or unknown."""
    places = [match[1] for page in pages.values() for match in PLACE.finditer(page)]
    if sorted(places) != sorted(TABLES):
        raise ValueError(f"the pages have the tables {', '.join(places)}, and should have {', '.join(TABLES)}")

    def written(match):
        lines = TABLES[match[1]](records)
        return f"<!-- figures: {match[1]} -->\n\n" + "\n".join(lines) + "\n\n<!-- end -->"

    return {name: PLACE.sub(written, page) for name, page in pages.items()}


def differences(pages, written):
    """Yields the lines in which pages differ from what this script writes."""
    for name in pages:
        old, new = pages[name].splitlines(), written[name].splitlines()
        yield from difflib.unified_diff(old, new, name, "bench/figures.py", n=0, lineterm="")


def old_pictures(records, folder):
    """Returns the pictures that do not contain the commit and date of a record that they should show."""
    found = []
    for name, record in [(name, record) for name, all_records in PICTURES.items() for record in all_records]:
        words = f"{records[record]['commit']}, {records[record]['date'][:10]}"
        if words not in (pathlib.Path(folder) / f"{name}.svg").read_text(encoding="utf-8"):
            found.append(f"{name}.svg was not drawn from the present {record}.json ({words}): run bench/plot.py {name}")
    return found


def read_records(folder):
    return {path.stem: json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true", help="only compare pages and pictures with the records")
    options.add_argument("--root", type=pathlib.Path, default=ROOT, help=f"the folder of {' and '.join(PAGES)}")
    options.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results")
    options.add_argument("--pictures", type=pathlib.Path, default=ROOT / "docs")
    arguments = options.parse_args()
    records = read_records(arguments.results)
    pages = {name: (arguments.root / name).read_text(encoding="utf-8") for name in PAGES}
    written = pages_with_tables(pages, records)
    if not arguments.check:
        for name, page in written.items():
            (arguments.root / name).write_text(page, encoding="utf-8")
        return 0
    problems = [*differences(pages, written), *old_pictures(records, arguments.pictures)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
