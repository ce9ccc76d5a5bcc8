"""Compiles the mistakes in arrays/refusals.cpp with GCC, many at once, and checks graft's error messages.

    refusals.py SOURCE COMPILER FLAGS...

Every line below a comment `refused: WORDS` must cause an error with these words (" ... " stands for any text), and no
other line may cause an error. An error must not list the overloads that do not fit.
"""

import os
import re
import subprocess
import sys


def mistakes(source):
    """Returns the words for each line with a mistake. A comment's words apply until the next comment or empty line."""
    found, words = {}, None
    for number, line in enumerate(source.splitlines(), 1):
        comment = re.match(r" *// refused: (.*)", line)
        if comment:
            words = comment[1].split(" ... ")
        elif re.match(r" *(//|#|$)", line):
            words = None
        elif words:
            found[number] = words
    return found


def errors(messages, name):
    """Returns the texts of the errors for each line of the source. GCC says before an error in a template which line
    of the source needs the template."""
    place = re.compile(rf"\S*{re.escape(name)}:(\d+):\d+: +(required from|error:)")
    found, line, text = {}, None, []
    for message in messages.splitlines():
        if at := place.match(message):
            line = int(at[1])
        if ": error: " in message:
            text = []
            found.setdefault(line, []).append(text)
        text.append(message)
    return {line: ["\n".join(text) for text in texts] for line, texts in found.items()}


def complaints(expected, said):
    """Returns what is wrong with the messages, one text for each line."""
    wrong = []
    for line in sorted(expected.keys() | said.keys()):
        words, texts = expected.get(line), said.get(line, [])
        if words is None:
            why = "an error in a line without a comment `refused:`"
        elif not any("graft: " + words[0] in text and all(word in text for word in words) for text in texts):
            why = "not refused with the words: " + " ... ".join(words)
        elif any("note: candidate" in text for text in texts):
            why = "the message lists candidates"
        else:
            continue
        wrong.append("\n".join([f"line {line}: {why}", *texts]))
    return wrong


def main(path, *compiler):
    with open(path, encoding="utf-8") as file:
        source = file.read()

    def messages(*flags):
        return subprocess.run([*compiler, *flags, "-fsyntax-only", path], stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "LC_ALL": "C"}, check=False).stderr

    expected = mistakes(source)
    said = errors(messages(), os.path.basename(path))
    for part in re.findall(r"MISTAKES == (\d+)", source):
        said |= errors(messages(f"-DMISTAKES={part}"), os.path.basename(path))
    wrong = complaints(expected, said)
    print(f"{len(expected)} mistakes, {len(wrong)} of them reported otherwise")
    if wrong or not expected:
        sys.exit("\n\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
