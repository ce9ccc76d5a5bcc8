"""Draws the time of FFTs as a share of the time of cuFFT without callbacks, by length, in both precisions."""

from . import style

# The contenders of bench_fft: name, key in the record's rows, colour, marker.
LINES = (
    ("graft", "graft_ms", style.GRAFT, "none"),
    ("graft, load and store callbacks", "callbacks_ms", style.GRAFT, style.GRAFT),
    ("cuFFT, the same callbacks", "cufft_callbacks_ms", style.COLOURS["cub"], style.COLOURS["cub"]),
    ("kernel, cuFFT, kernel", "kernels_ms", style.OTHERS, style.OTHERS),
)


def draw_precision(axes, rows, title):
    rows = sorted(rows, key=lambda row: row["length"])
    for name, key, colour, fill in LINES:
        found = [(row["length"], row[key] / row["cufft_ms"]) for row in rows if key in row]
        if found:
            axes.plot(*zip(*found), "o-", color=colour, markerfacecolor=fill, markersize=3.5, linewidth=1, label=name)
    axes.axhline(1, color=style.WORDS, linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.set_xlabel("points of an FFT")
    axes.set_title(title)


def draw(records):
    panels = [(records[f"fft_{name}"]["rows"], name) for name in ("f32", "f64") if f"fft_{name}" in records]
    if not panels:
        return None
    figure, axes = style.figure(10, 3.7, 1, len(panels), squeeze=False, sharey=True)
    for place, (rows, title) in zip(axes[0], panels):
        draw_precision(place, rows, title)
    axes[0][0].set_ylabel("time / time of cuFFT without callbacks")
    # Below the panels, where no curve is. The panels have the same curves.
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower left", ncols=len(LINES), fontsize=8)
    style.note(figure, style.machine(records, "fft_f32", "fft_f64"))
    return figure
