"""Whether links inside the built site lead somewhere: ``python docs/site/check_links.py build/docs/html``.

Sphinx follows references in text. This follows what has become of them, and what Sphinx does not see: pictures, links in the
outputs of notebooks, the navigation.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"""\s(?:href|src)=(?:"([^"]*)"|'([^']*)')""")
PLACE = re.compile(r"""\s(?:id|name)=["']([^"']*)["']""")
INVISIBLE = re.compile(r"<script.*?</script>|<!--.*?-->", re.DOTALL)


def dead_links(folder: Path) -> tuple[int, list[str]]:
    """How many links between pages there are, and a line for each that leads nowhere."""
    files = [
        page for page in sorted(folder.rglob("*.html")) if "_static" not in page.parts
    ]  # there the theme has templates
    pages = {page: INVISIBLE.sub("", page.read_text(encoding="utf-8")) for page in files}
    places = {page: {html.unescape(name) for name in PLACE.findall(text)} for page, text in pages.items()}
    count, dead = 0, []
    for page, text in pages.items():
        for link in sorted({html.unescape(first or second) for first, second in LINK.findall(text)}):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.is_file():
                dead.append(f"{page.relative_to(folder)}: {link}: there is no such file")
            elif parts.fragment and target in places and unquote(parts.fragment) not in places[target]:
                dead.append(f"{page.relative_to(folder)}: {link}: there is no such place on that page")
    return count, dead


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    count, dead = dead_links(folder)
    print("\n".join([*dead, f"{count} links between pages, {len(dead)} of them dead"]))
    return 1 if dead or not count else 0


if __name__ == "__main__":
    sys.exit(main())
