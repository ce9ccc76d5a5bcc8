"""Draws the time until a kernel is ready: create by step next to the floor, and next to the peers' first results."""

from . import style

IN_CXX = "graft, create alone in C++"


def milliseconds_of(entry):
    return style.median(entry, "ms")


def steps_of(times):
    """Returns milliseconds by step, and the total. The step "other" is the part of the total outside of all steps."""
    medians = {name: milliseconds_of(entry) or 0.0 for name, entry in times.items()}
    total = medians.pop("total", sum(medians.values()))
    steps = dict.fromkeys(style.STEPS, 0.0)
    for name, value in medians.items():
        steps["open tools" if name.startswith("open") else name if name in steps else "other"] += value
    steps["other"] += max(0.0, total - sum(steps.values()))
    return steps, total


def draw_steps(axes, record):
    rows = [
        (f"{who}, {label}", record[key][state])
        for state, label in (("cold", "first"), ("warm", "further"))
        for who, key in (("floor", "floor"), ("graft", "graft"))
        if state in record.get(key, {})
    ]
    for row, (_, times) in enumerate(rows):
        steps, total = steps_of(times)
        left = 0.0
        for step, value in steps.items():
            axes.barh(row, value, left=left, color=style.STEPS[step], height=0.62)
            left += value
        if total < 0.99 * left:  # the steps add up to more than the total, so some of them ran concurrently
            axes.plot([total] * 2, [row - 0.36, row + 0.36], color=style.WORDS, linewidth=2)
        words = style.milliseconds(total)
        axes.annotate(words, (left, row), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, axes.get_xlim()[1] * 1.18)
    axes.grid(axis="x")
    axes.set_xlabel("ms in a new process, every cache off")
    axes.set_title("create, by step, beside its floor")
    for step, colour in style.STEPS.items():
        axes.bar(0, 0, color=colour, label=step)


def first_calls(records):
    """Returns (name, milliseconds, whether it is graft's) for each contender in the records."""
    found = []
    cache = records.get("cache", {})
    found.append(("graft: in memory, same process", milliseconds_of(cache.get("memory_hit")), True))
    found.append(("graft: on disk", milliseconds_of(cache.get("disk_hit")), True))
    for cell in records.get("create_forms", {}).get("cells", []):
        if cell.get("route") == "lto" and cell.get("form") in ("pack", "pack with cubins"):
            found.append((f"graft: {cell['form']}", milliseconds_of(cell.get("cold")), True))
    calls = records.get("first_call", {}).get("contenders", {})
    for name, entry in calls.items():
        if name != IN_CXX:
            label = "graft: source, first result" if name == "graft" else f"{name}: first result"
            found.append((label, milliseconds_of(entry.get("cold")), name == "graft"))
    if "graft" not in calls:
        cold = records.get("create_cold", {}).get("graft", {}).get("cold", {})
        found.append(("graft: source", milliseconds_of(cold.get("total")), True))
    return sorted((entry for entry in found if entry[1]), key=lambda entry: entry[1])


def draw_first_calls(axes, found):
    names = [name for name, _, _ in found]
    values = [value for _, value, _ in found]
    colours = [style.GRAFT if own else style.OTHERS for _, _, own in found]
    style.dots(axes, names, values, colours, [style.milliseconds(value) for value in values])
    axes.set_xlim(min(values) / 3, max(values) * 30)
    ticks = {1e-4: "0.1 µs", 1e-2: "10 µs", 1: "1 ms", 100: "100 ms", 1e4: "10 s"}
    shown = [tick for tick in ticks if tick < max(values) * 30]
    axes.set_xticks(shown, [ticks[tick] for tick in shown])
    axes.minorticks_off()
    axes.set_xlabel("until the kernel is ready, or its first result is there")
    axes.set_title("a kernel's first use, new process")


def draw(records):
    record = records.get("create_cold", {})
    found = first_calls(records)
    if not record.get("graft") or not record.get("floor") or not found:
        return None
    figure, (steps, calls) = style.figure(10, max(2.9, 0.26 * len(found) + 1.2), 1, 2)
    draw_steps(steps, record)
    draw_first_calls(calls, found)
    figure.legend(loc="outside lower left", ncols=len(style.STEPS), columnspacing=1.2, handlelength=1)
    style.note(figure, style.machine(records, "create_cold", "cache", "create_forms", "first_call"))
    return figure
