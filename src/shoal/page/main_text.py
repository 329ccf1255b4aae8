"""The main text of a Response: what a reader came for, told with care and without haste.

A crawl does not need it, and ``Page.text`` is told in a fraction of the time; this is for texts
that leave the crawl. How good both are is in ``docs/explanation/parsing.md``.
"""

from __future__ import annotations

from shoal.model import Response
from shoal.page import media
from shoal.page.canonical import canonical
from shoal.page.dom import parse_html
from shoal.page.encoding import decode
from shoal.page.plain import TEXT_CHARACTERS, plain_text
from shoal.page.prose import main_text, read_blocks


def read_main_text(response: Response) -> str:
    """Blocks joined by newlines; empty for what is neither HTML nor plain text.

    The answer depends on the Response alone; time and memory are bounded, as for ``PageParser``.
    """
    content_type = response.header("content-type") or ""
    kind = media.media_type(content_type, response.body)
    if kind == media.PLAIN:
        return plain_text(decode(response.body, content_type).text[:TEXT_CHARACTERS])
    if kind not in (media.HTML, media.XHTML):
        return ""
    tree = parse_html(decode(response.body, content_type).utf8)
    return main_text(read_blocks(canonical(tree)))[:TEXT_CHARACTERS]
