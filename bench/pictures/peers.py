"""Draws the GB/s of graft and of peers from Python, with a panel for each callback."""

from . import style

RECORD = "throughput_python"


def colour(name):
    return {"graft": style.GRAFT, "cudaMemcpyAsync": style.COLOURS["memcpy"]}.get(name, style.OTHERS)


def draw_case(axes, cell):
    entries = sorted(cell["contenders"].items(), key=lambda item: -item[1].get("median_gbs", 0))
    entries = [(name, entry) for name, entry in entries if "median_gbs" in entry]
    values = [entry["median_gbs"] for _, entry in entries]
    style.bars(
        axes,
        [name for name, _ in entries],
        values,
        [colour(name) for name, _ in entries],
        [f"{value:.0f}" for value in values],
        [entry.get("min_gbs", entry["median_gbs"]) for _, entry in entries],
        [entry.get("max_gbs", entry["median_gbs"]) for _, entry in entries],
    )
    axes.set_xlim(0, max(values) * 1.15)
    axes.set_title(cell.get("case", ""))
    axes.set_xlabel("GB/s read and written")


def draw(records):
    cells = [cell for cell in records.get(RECORD, {}).get("cells", []) if cell.get("contenders")]
    if not cells:
        return None
    rows = (len(cells) + 1) // 2
    most = max(len(cell["contenders"]) for cell in cells)
    figure, panels = style.figure(10, rows * (0.24 * most + 0.9) + 0.2, rows, 2, squeeze=False)
    for axes, cell in zip(panels.flat, cells):
        draw_case(axes, cell)
    for axes in panels.flat[len(cells) :]:
        axes.set_visible(False)
    style.note(figure, f"arrays of 2 GiB; whiskers: smallest and largest sample. {style.machine(records, RECORD)}")
    return figure
