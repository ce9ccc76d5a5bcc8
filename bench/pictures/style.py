"""The style of the pictures. They have no background and use colours of medium lightness, so that they are readable on
light and dark pages. Text is stored as text, not as shapes."""

import io

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

FONT = "DejaVu Sans"  # comes with matplotlib; where it is missing, browsers use Verdana, which is equally wide
WORDS = "#737d88"
LINES = "#8c959f"
GRAFT = "#2f81f7"
COLOURS = {
    "graft": GRAFT,
    "by hand": "#8c959f",
    "cub": "#e8710a",
    "newer cub": "#d4a72c",
    "thrust": "#a371f7",
    "newer thrust": "#bf3989",
    "memcpy": "#2da44e",
}
OTHERS = "#8c959f"
STEPS = {"open tools": "#8c959f", "compile": "#2f81f7", "link": "#e8710a", "load": "#2da44e", "other": "#a371f7"}


def use():
    pyplot.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "graft",
            "font.family": FONT,
            "font.size": 9,
            "text.color": WORDS,
            "axes.labelcolor": WORDS,
            "axes.edgecolor": LINES,
            "axes.titlesize": 10,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "xtick.color": WORDS,
            "ytick.color": WORDS,
            "grid.color": LINES,
            "grid.alpha": 0.25,
            "legend.frameon": False,
            "figure.constrained_layout.use": True,
        }
    )


def save(figure, path):
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    path.write_text(text.getvalue().replace(f"'{FONT}'", f"'{FONT}', Verdana"))


def figure(width, height, *args, **keywords):
    return pyplot.subplots(*args, figsize=(width, height), **keywords)


def median(entry, unit):
    """Returns the median of a record's entry, or None if there is none.

    In the cache's records, the unit (ms or us) is a field of the entry.
    """
    entry = entry or {}
    if "unit" in entry and "median" in entry:
        return entry["median"] / {"ms": 1, "us": 1000}[entry["unit"]]
    return entry.get(f"median_{unit}")


def machine(records, *names):
    """Returns the note under a picture: the GPU of the first record in `names`, and each record's commit and date."""
    found = [records[name] for name in names if records.get(name)]
    if not found:
        return ""
    where = found[0].get("gpu") or found[0].get("processor") or "unknown machine"
    made = [f"{record.get('commit') or 'unknown commit'}, {record.get('date', '')[:10]}" for record in found]
    return f"{where}, {'; '.join(dict.fromkeys(made))}"


def note(figure, text):
    figure.supxlabel(text, fontsize=7.5, color=WORDS, x=0.99, ha="right")


def bars(axes, names, values, colours, words, low=None, high=None):
    """Draws horizontal bars from top to bottom, each with its text, and with whiskers if the spread is known."""
    places = range(len(names))
    axes.barh(places, values, color=colours, height=0.68)
    if low and high:
        spans = [[v - a for v, a in zip(values, low)], [b - v for v, b in zip(values, high)]]
        axes.errorbar(values, places, xerr=spans, fmt="none", ecolor=WORDS, elinewidth=0.8, capsize=1.5)
    for place, value, word in zip(places, [max(v, h) for v, h in zip(values, high or values)], words):
        axes.annotate(word, (value, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="x")


def dots(axes, names, values, colours, words):
    """Draws values as dots. A logarithmic axis has no natural starting point for bars, so it needs dots."""
    for place, (value, colour, word) in enumerate(zip(values, colours, words)):
        axes.plot(value, place, "o", color=colour, markersize=6.5)
        axes.annotate(word, (value, place), xytext=(7, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(axis="x")


def milliseconds(value):
    """Formats a time as text for the picture."""
    if value >= 100:
        return f"{value:.0f} ms"
    if value >= 1:
        return f"{value:.1f} ms"
    if value >= 0.1:
        return f"{value:.2f} ms"
    return f"{1000 * value:.2g} µs"
