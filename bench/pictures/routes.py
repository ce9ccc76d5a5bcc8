"""Draws the cost of a call: an inlined callback next to a callback that is called, directly or through a pointer."""

from . import style

WAYS = [
    ("lto", "inlined (lto)", style.GRAFT),
    ("ptx", "direct call (ptx)", "#2da44e"),
    ("indirect", "through a pointer (indirect)", "#a371f7"),
    ("legacy", "legacy: one element a thread, through a pointer", "#e8710a"),
]
NAMES = {
    "chain64": "64 opera-\ntions",
    "chain256": "256 opera-\ntions",
    "divergent": "divergent\nloop",
    "waves": "sin × cos",
}
WIDTH = 0.21


def times_of(callback):
    """Returns milliseconds by route."""
    times = {way: style.median(entry, "ms") for way, entry in (callback.get("ways") or {}).items()}
    return {way: time for way, time in times.items() if time}


def draw(records):
    found = [(c.get("name", "?"), times_of(c)) for c in records.get("routes", {}).get("callbacks", [])]
    callbacks = [(name, times) for name, times in found if "lto" in times]
    if not callbacks:
        return None
    figure, axes = style.figure(10, 3.8)
    for place, (way, label, colour) in enumerate(WAYS):
        shift = (place - 1.5) * WIDTH
        shown = [(x + shift, times[way]) for x, (_, times) in enumerate(callbacks) if way in times]
        axes.bar([x for x, _ in shown], [y for _, y in shown], WIDTH * 0.92, color=colour, label=label)
    for x, (_, times) in enumerate(callbacks):
        if "legacy" in times:
            place = (x + WIDTH, max(times.values()))
            words = f"{times['legacy'] / times['lto']:.1f}×"
            axes.annotate(words, place, xytext=(0, 3), textcoords="offset points", ha="center", fontsize=8)
    axes.set_xticks(range(len(callbacks)), [NAMES.get(name, name) for name, _ in callbacks], fontsize=8)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")
    elements = records["routes"].get("elements")
    axes.set_ylabel(f"ms for {elements * 4 / 2**30:.0f} GiB of floats" if elements else "ms")
    axes.set_title("one callback, called or inlined; the number is legacy over inlined")
    axes.legend(loc="upper left", fontsize=8)
    style.note(figure, style.machine(records, "routes"))
    return figure
