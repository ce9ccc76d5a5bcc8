"""Draws graft's speed divided by each peer's: for each callback at the largest size, and for all cells by size."""

import math
import random

from . import style

NEWER = ("throughput_newer", "throughput_cccl")  # names of one record: in run.sh, and by default
PEERS = ("by hand", "cub", "newer cub", "thrust", "newer thrust")
SHAPES = {"by hand": "D", "cub": "o", "newer cub": "s", "thrust": "^", "newer thrust": "v"}
LOW, HIGH = 0.8, 2.0  # values outside this range are drawn at its edge


def ratios_of(cell):
    """Returns ratios by peer. A record from before the other peers were added has only the ratio to cudaMemcpyAsync."""
    found = {peer: entry.get("ratio") for peer, entry in (cell.get("ratios") or {}).items() if entry}
    return {peer: ratio for peer, ratio in found.items() if ratio}


def aligned_cells(records):
    """Returns the cells with aligned arrays, each with the ratios to all peers, including those of the newer CCCL."""
    cells = {}
    for name in ("throughput", *NEWER):
        for cell in records.get(name, {}).get("cells", []):
            if cell.get("alignment", "aligned") != "aligned" or "count" not in cell:
                continue
            key = (cell.get("operation", "?"), cell.get("type", "?"), cell["count"])
            ratios = ratios_of(cell)
            if name in NEWER:
                ratios = {f"newer {peer}": ratios[peer] for peer in ("cub", "thrust") if peer in ratios}
            cells.setdefault(key, {}).update(ratios)
    return cells


def labels_of(records):
    """Returns the name of each peer in the legend, with the version of CCCL that its record has."""
    labels = {"by hand": "kernel by hand"}
    for name in ("throughput", *NEWER):
        if name in records:
            version = records[name].get("cccl") or "of an unknown version"
            age = "newer " if name in NEWER else ""
            labels |= {f"{age}cub": f"CUB {version}", f"{age}thrust": f"Thrust {version}"}
    return labels


def inside(ratio):
    return min(max(ratio, LOW), HIGH)


def ratio_axis(axes, which):
    getattr(axes, f"set_{which}scale")("log")
    ticks = [0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0]
    axis = getattr(axes, f"{which}axis")
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)
    getattr(axes, f"set_{which}lim")(LOW * 0.985, HIGH * 1.015)
    (axes.axvline if which == "x" else axes.axhline)(1, color=style.WORDS, linewidth=1)


def largest_counts(cells):
    largest = {}
    for operation, kind, count in cells:
        largest[operation, kind] = max(count, largest.get((operation, kind), 0))
    return largest


def draw_callbacks(axes, cells, largest):
    rows = list(largest)
    for row, (operation, kind) in enumerate(rows):
        ratios = cells[operation, kind, largest[operation, kind]]
        for peer in PEERS:
            if peer in ratios:
                axes.plot(inside(ratios[peer]), row, SHAPES[peer], color=style.COLOURS[peer], markersize=5, alpha=0.9)
    axes.set_yticks(range(len(rows)), [f"{operation.replace('_', ' ')} {kind}" for operation, kind in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid()
    ratio_axis(axes, "x")
    axes.set_title("graft's speed over the peer's, largest arrays")
    axes.set_xlabel("right of 1: graft is faster")


def by_size(cells, largest):
    """Groups the cells by element count. Each type's largest count, which depends on the type, is in "largest"."""
    groups = {}
    for key in sorted(cells, key=lambda key: key[2]):
        if key[2] != largest[key[:2]]:
            groups.setdefault(f"$2^{{{math.log2(key[2]):.0f}}}$", []).append(cells[key])
    groups["largest"] = [cells[(*key, count)] for key, count in largest.items()]
    return groups


def draw_sizes(axes, cells, largest, labels):
    """Draws every cell as a dot and geometric means as bars."""
    groups = by_size(cells, largest)
    shown = [peer for peer in PEERS if any(peer in ratios for ratios in cells.values())]
    jitter = random.Random(1)
    for place, peer in enumerate(shown):
        shift = 0.8 * ((place + 0.5) / len(shown) - 0.5)
        colour = style.COLOURS[peer]
        axes.plot([], [], SHAPES[peer], color=colour, markersize=5, label=labels[peer])
        for x, group in enumerate(groups.values()):
            ratios = [ratios[peer] for ratios in group if peer in ratios]
            if not ratios:
                continue
            xs = [x + shift + jitter.uniform(-0.05, 0.05) for _ in ratios]
            axes.plot(xs, [inside(r) for r in ratios], SHAPES[peer], color=colour, markersize=2.5, alpha=0.5)
            mean = inside(math.exp(sum(map(math.log, ratios)) / len(ratios)))
            axes.plot([x + shift - 0.08, x + shift + 0.08], [mean, mean], color=colour, linewidth=2.5)
    axes.set_xticks(range(len(groups)), groups)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")
    ratio_axis(axes, "y")
    axes.set_title("all cells by elements; bars: geometric means")


def draw(records):
    cells = aligned_cells(records)
    if not any(cells.values()):
        return None
    rows = len({key[:2] for key in cells})
    figure, (callbacks, sizes) = style.figure(10, max(3.5, 0.19 * rows + 1.2), 1, 2, width_ratios=[1.15, 1])
    largest = largest_counts(cells)
    draw_callbacks(callbacks, cells, largest)
    draw_sizes(sizes, cells, largest, labels_of(records))
    figure.legend(loc="outside lower left", ncols=3)  # five in one row would run into the note
    style.note(figure, f"beyond {LOW} and {HIGH:g}: at the edge. {style.machine(records, 'throughput', *NEWER)}")
    return figure
