"""Draws what a callback in a slot of one's own kernel costs: linked in, called, and called through a pointer."""

from . import style

WAYS = [
    ("in a slot", "in a slot (graft::Kernel)", style.GRAFT),
    ("called", "a function that is called", "#2da44e"),
    ("through a pointer", "through a pointer", "#a371f7"),
]
NAMES = {
    "neighbours": "nearest\nneighbours",
    "fit": "step of\na fit",
    "sparse": "sparse\nproduct",
    "march": "ray\nmarcher",
}
WIDTH = 0.27


def draw(records):
    rows = records.get("own_kernels", {}).get("rows", [])
    if not rows:
        return None
    figure, axes = style.figure(8, 3.2)
    for place, (way, label, colour) in enumerate(WAYS):
        ratios = [row.get(way, {}).get("ratio", 0) for row in rows]
        places = [x + (place - 1) * WIDTH for x in range(len(rows))]
        axes.bar(places, ratios, WIDTH * 0.92, color=colour, label=label)
        for x, ratio in zip(places, ratios):
            axes.annotate(f"{ratio:.2f}", (x, ratio), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=7)
    axes.axhline(1, color=style.LINES, linewidth=0.8)
    axes.set_xticks(range(len(rows)), [NAMES.get(row["kernel"], row["kernel"]) for row in rows], fontsize=8)
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="y")
    axes.set_ylabel("time / written in by hand")
    axes.set_title("five kernels with a callback in a slot")
    axes.legend(loc="upper right", fontsize=8)
    style.note(figure, style.machine(records, "own_kernels"))
    return figure
