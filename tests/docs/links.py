#!/usr/bin/env python3
"""Finds broken links in the pages: to a file that does not exist, or to a heading that the linked page does not have.

    links.py ROOT      prints each broken link as "page: link"; the exit status is 1 if there is one

The pages are the .md files that git tracks under ROOT. In a copy without git, they are all .md files under ROOT.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchors_of(page):
    """Returns the anchors that GitHub gives to the page's headings."""
    headings = HEADING.findall(re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(page, link):
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


def pages_of(root):
    # Without this setting, git refuses a folder of another user, for example in a container.
    git = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "*.md"]
    listed = subprocess.run(git, capture_output=True, text=True, check=False) if (root / ".git").exists() else None
    if listed is None or listed.returncode != 0:
        return sorted(root.rglob("*.md"))
    # git also lists deleted files until the deletion is committed.
    return sorted(root / name for name in listed.stdout.split("\0") if name and (root / name).is_file())


def main(root):
    pages = pages_of(Path(root))
    links = [(page, link) for page in pages for link in LINK.findall(CODE.sub("``", page.read_text(encoding="utf-8")))]
    local = [(page, link) for page, link in links if "://" not in link]
    broken = [f"{page}: {link}" for page, link in local if not leads_somewhere(page, link)]
    print("\n".join(broken) or f"{len(local)} links of {len(pages)} pages lead somewhere")
    return 1 if broken or not local else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
