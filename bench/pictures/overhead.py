"""Draws the host time of a call, in C++ and from Python, and the time of a chain of small launches."""

from . import style

CHAIN_COUNT = 65536


def host_calls(records):
    """Returns (name, microseconds, whether it is graft's) for each contender."""
    found = []
    for name, entry in records.get("host_overhead", {}).get("ways", {}).items():
        nanoseconds = style.median(entry, "ns") or 0
        own = name.startswith("graft")
        found.append((f"{name}, C++" if own else name, nanoseconds / 1000, own))
    for name, entry in records.get("host_overhead_python", {}).get("contenders", {}).items():
        own = name.startswith("graft")
        found.append((f"{name}, Python" if own else name, style.median(entry, "us"), own))
    return sorted((entry for entry in found if entry[1]), key=lambda entry: entry[1])


def draw_calls(axes, found):
    values = [value for _, value, _ in found]
    colours = [style.GRAFT if own else style.OTHERS for _, _, own in found]
    style.bars(axes, [name for name, _, _ in found], values, colours, [f"{value:.2f}" for value in values])
    axes.set_xlim(0, max(values) * 1.2)
    axes.set_xlabel("µs of host time for one call")
    axes.set_title("one call on 256 elements")


def draw_chain(axes, cell, launches):
    ways = {}
    for name, way in cell.get("ways", {}).items():
        together, gpu = (style.median(way.get(key), "us") for key in ("together", "gpu"))
        if together and gpu:
            ways[name] = (together / launches, gpu / launches)
    ways = sorted(ways.items(), key=lambda item: item[1])
    for row, (name, (together, gpu)) in enumerate(ways):
        colour = style.GRAFT if name.startswith("graft") else style.OTHERS
        axes.plot([gpu, together], [row, row], color=colour, linewidth=1.5, alpha=0.6)
        axes.plot(gpu, row, "o", color=colour, markersize=5)
        axes.plot(together, row, "o", color=colour, markersize=5, markerfacecolor="none")
    axes.set_yticks(range(len(ways)), [name for name, _ in ways], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(ways) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.grid(axis="x")
    axes.set_xlabel("µs a launch (full: GPU alone, hollow: with host)")
    axes.set_title(f"{launches} launches in a row, {cell.get('count', 0):,} elements")


def draw(records):
    found = host_calls(records)
    if not found:
        return None
    chain = records.get("chain", {})
    cells = [cell for cell in chain.get("cells", []) if cell.get("count") == CHAIN_COUNT] or chain.get("cells", [])[:1]
    rows = max(len(found), len(cells[0].get("ways", {})) if cells else 0)
    figure, panels = style.figure(10, max(2.2, 0.26 * rows + 1.0), 1, 2 if cells else 1, squeeze=False)
    draw_calls(panels[0][0], found)
    if cells:
        draw_chain(panels[0][1], cells[0], chain.get("launches", 100))
    style.note(figure, style.machine(records, "host_overhead", "host_overhead_python", "chain"))
    return figure
