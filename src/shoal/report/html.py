"""A Report as one HTML file that needs nothing else.

1. It loads nothing from anywhere, runs no script, and says so in its own content policy.
2. Everything that came from the web is escaped; only http and https addresses become links.
3. The file appears whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

from shoal import wording
from shoal.errors import StorageError
from shoal.report.plots import Axis, Line, bars, columns, curves, figure, steps, table
from shoal.report.summary import BINS, Report
from shoal.report.terminal import stop_sentence

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_ROWS = 12


def write_html(report: Report, path: Path) -> None:
    """Write the page beside ``path`` first, then put it in its place. Raises StorageError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_text(html_page(report), encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error
    finally:
        # Asked first: a medium that takes no writes refuses even to remove what is not there.
        if draft.exists():
            draft.unlink()


def html_page(report: Report) -> str:
    """The whole page as text."""
    style = files("shoal.report").joinpath("report.css").read_text(encoding="utf-8")
    topic = wording.plain(report.topic) or "no topic"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">',
        f"<title>{escape(topic)} – crawl report</title>",
        f"<style>{style}</style></head><body>",
        f'<header><p class="soft">Crawl report</p><h1>{escape(topic)}</h1>',
        f'<p class="soft">{escape(_span(report))}</p></header><main>',
        f'<p class="why"><strong>Why it stopped:</strong> {escape(stop_sentence(report))}</p>',
        _figures(report),
        _harvest(report),
        _over_time(report),
        _crawlers(report),
        _best(report),
        _links(report),
        _breakdown(report),
        _hosts(report),
        "</main><footer>Times are the crawl’s own clock. Sizes are of bodies as received. "
        "A page is one that was parsed and judged and repeats no earlier one.</footer>",
        "</body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _span(report: Report) -> str:
    if report.started is None or report.ended is None:
        return "Nothing has been fetched yet."
    took = wording.duration(report.seconds)
    return f"{report.started[:19]}Z to {report.ended[:19]}Z, {took} on the crawl’s clock"


def _figures(report: Report) -> str:
    twins = report.duplicates
    errors = sum(report.errors.values())
    lost = wording.count(report.given_up_hosts)
    cells = [
        ("Pages", wording.count(report.pages), wording.many(report.visits, "visit")),
        ("Relevant", wording.count(report.relevant), f"relevance from {report.relevant_at:g}"),
        ("Harvest", wording.share(report.harvest), "relevant / pages"),
        ("Received", wording.size(report.bytes), f"{wording.size(report.bytes_per_second)}/s"),
        ("Rate", f"{wording.rate(report.pages_per_second)}/s", "pages a second"),
        ("Hosts", wording.count(report.hosts), f"{lost} given up"),
        (
            "Duplicates",
            wording.count(twins.exact + twins.near),
            f"{wording.count(twins.exact)} exact, {wording.count(twins.near)} near",
        ),
        ("Errors", wording.count(errors), f"{wording.count(report.retries)} retries"),
        ("Urls known", wording.count(report.known), _known_note(report)),
        ("Waiting", wording.count(report.waiting), "Urls not yet fetched"),
    ]
    divs = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(number)}<small>{escape(note)}</small></dd></div>"
        for name, number, note in cells
    )
    return f'<h2 class="hidden">In figures</h2><dl class="figures">{divs}</dl>'


def _known_note(report: Report) -> str:
    refused = f"{wording.count(report.refused)} refused"
    # Crawlers do not know what the others know: a Url may be known to several.
    return f"{refused}, by each crawler" if report.crawlers else refused


def _harvest(report: Report) -> str:
    curve = report.harvest_curve
    if not curve:
        return ""
    window = min(report.window_pages, report.pages)
    ticks = steps(curve[-1].pages, 5)
    x = Axis(
        float(curve[-1].pages),
        [(value, wording.count(value)) for value in ticks if value <= curve[-1].pages],
        "pages",
    )
    # The whole scale where the curve needs half of it: so most reports compare, and none is flat.
    most = max(max(point.harvest, point.recent) for point in curve)
    marks = steps(1.0 if most > 0.5 else most)
    y = Axis(marks[-1], [(mark, f"{mark * 100:g} %") for mark in marks], "harvest")
    lines = [
        Line(
            f"the last {wording.count(window)} pages",
            "sand",
            [(point.pages, point.recent) for point in curve],
        ),
        Line("all pages so far", "sea", [(point.pages, point.harvest) for point in curve]),
    ]
    alternative = (
        f"Harvest over {wording.count(curve[-1].pages)} pages: it ends at "
        f"{wording.share(curve[-1].harvest)} of all pages and "
        f"{wording.share(curve[-1].recent)} of the last {wording.count(window)}."
    )
    rows = [
        (
            wording.count(point.pages),
            wording.count(point.relevant),
            wording.share(point.harvest),
            wording.share(point.recent),
        )
        for point in curve[:: max(1, len(curve) // 40)]
    ]
    numbers = table("Harvest", ("pages", "relevant", "all pages", "recent"), rows)
    plot = figure("Share of pages that are relevant", "", curves(alternative, lines, x, y), numbers)
    return f'<h2>Harvest</h2><div class="tall">{plot}</div>'


def _over_time(report: Report) -> str:
    if not report.activity or not report.pages:
        return ""
    end_s = report.activity[-1].from_s + report.activity[-1].length_s
    scale, unit = _time_unit(end_s)
    x_ticks = [value for value in steps(end_s / scale, 5) if value <= end_s / scale * 1.001]
    x = Axis(end_s, [(value * scale, f"{value:g}") for value in x_ticks], unit)
    rows = [
        (
            wording.duration(interval.from_s),
            wording.count(interval.visits),
            wording.count(interval.pages),
            wording.size(interval.bytes),
        )
        for interval in report.activity
    ]
    numbers = table("Over time", ("from", "visits", "pages", "received"), rows)
    pages = _stairs([(i.from_s, i.pages / i.length_s) for i in report.activity], end_s)
    received = _stairs([(i.from_s, i.bytes / i.length_s) for i in report.activity], end_s)
    page_ticks = steps(max(value for _, value in pages))
    byte_ticks = steps(max(value for _, value in received))
    fastest = wording.rate(max(value for _, value in pages))
    plots = [
        figure(
            "Pages a second",
            f"At most {fastest}, {wording.rate(report.pages_per_second)} on average.",
            curves(
                f"Pages a second over {wording.duration(end_s)}, at most {fastest}.",
                [Line("pages a second", "sea", pages, filled=True, stepped=True)],
                x,
                Axis(page_ticks[-1], [(v, f"{v:g}") for v in page_ticks], "pages a second"),
            ),
            numbers,
        ),
        figure(
            "Received a second",
            f"{wording.size(report.bytes)} in all.",
            curves(
                f"Bytes received a second over {wording.duration(end_s)}.",
                [Line("bytes a second", "sea", received, filled=True, stepped=True)],
                x,
                Axis(byte_ticks[-1], [(v, _round_size(v)) for v in byte_ticks], "a second"),
            ),
            numbers,
        ),
    ]
    return f'<h2>Over time</h2><div class="pair">{"".join(plots)}</div>'


def _crawlers(report: Report) -> str:
    if not report.crawlers:
        return ""
    rows = [
        (
            wording.plain(share.crawler),
            wording.count(share.pages),
            wording.count(share.relevant),
            wording.share(share.relevant / share.pages) if share.pages else "–",
            wording.count(share.fetched),
            wording.size(share.bytes),
            wording.count(share.handed_over),
            wording.count(share.taken_in),
        )
        for share in report.crawlers
    ]
    heads = (
        "crawler",
        "pages",
        "relevant",
        "harvest",
        "fetched",
        "received",
        "handed over",
        "taken in",
    )
    return (
        '<h2>Crawlers</h2><p class="soft">A page belongs to the crawler that keeps it. Where '
        "another one fetched it, that one handed it over.</p>"
        '<section class="card">'
        f"{table(wording.many(len(rows), 'crawler'), heads, rows)}</section>"
    )


def _relevance(report: Report) -> str:
    histogram = report.relevance_histogram
    ticks = steps(max(histogram))
    from_to = [f"{i / BINS:.2f} to {(i + 1) / BINS:.2f}" for i in range(BINS)]
    numbers = table(
        "Pages by relevance",
        ("relevance", "pages"),
        [(name, wording.count(n)) for name, n in zip(from_to, histogram, strict=True)],
    )
    plot = columns(
        f"How many pages have which relevance; {wording.count(report.relevant)} of "
        f"{wording.count(report.pages)} are at {report.relevant_at:g} or above.",
        [float(number) for number in histogram],
        ["sea" if (i + 0.5) / BINS >= report.relevant_at else "pale" for i in range(BINS)],
        Axis(1.0, [(value / 4, f"{value / 4:g}") for value in range(5)], "relevance"),
        Axis(ticks[-1], [(value, wording.count(value)) for value in ticks], "pages"),
    )
    return figure(
        "Relevance",
        f"Pages by relevance; from {report.relevant_at:g} a page counts as relevant.",
        plot,
        numbers,
    )


def _breakdown(report: Report) -> str:
    cards = [_relevance(report)] if report.pages else []
    for caption, head, counts in (
        ("Errors", "kind", report.errors),
        ("Languages", "language", report.languages),
        ("HTTP statuses", "status", report.statuses),
        ("Media types", "media type", report.media_types),
        ("Outcomes", "outcome", report.outcomes),
    ):
        if counts:
            cards.append(f'<section class="card">{_bars(caption, head, counts)}</section>')
    return f'<h2>What came back</h2><div class="mosaic">{"".join(cards)}</div>' if cards else ""


def _bars(caption: str, head: str, counts: Mapping[str, int]) -> str:
    rows = [
        (wording.plain(name).replace("_", " "), float(n), wording.count(n))
        for name, n in counts.items()
    ]
    shown = rows[:_ROWS]
    if len(rows) > _ROWS:
        rest = sum(amount for _, amount, _ in rows[_ROWS:])
        shown.append((f"{len(rows) - _ROWS} more", rest, wording.count(rest)))
    return bars(caption, (head, "number"), shown)


def _hosts(report: Report) -> str:
    if not report.top_hosts:
        return ""
    rows = [
        (
            wording.plain(share.host),
            wording.count(share.visits),
            wording.count(share.pages),
            wording.count(share.relevant),
            wording.share(share.relevant / share.pages) if share.pages else "–",
            wording.size(share.bytes),
        )
        for share in report.top_hosts
    ]
    heads = ("host", "visits", "pages", "relevant", "harvest", "received")
    caption = wording.many(report.hosts, "host")
    if len(rows) < report.hosts:
        caption = f"The {len(rows)} with the most relevant pages, of {caption}"
    shares = table(caption, heads, rows)
    lost = ""
    if report.given_up:
        lost_rows = [
            (wording.plain(one.host), wording.plain(one.why), wording.count(one.waiting))
            for one in report.given_up
        ]
        caption = f"{len(lost_rows)} of {wording.count(report.given_up_hosts)} hosts given up"
        lost_table = table(caption, ("host", "why", "Urls waiting"), lost_rows)
        lost = f'<section class="card" style="margin-top:1rem">{lost_table}</section>'
    return f'<h2>Hosts</h2><section class="card">{shares}</section>{lost}'


def _best(report: Report) -> str:
    if not report.best:
        return ""
    items = [_listed(page.relevance, page.title or "untitled", page.url) for page in report.best]
    return (
        '<h2>Most relevant pages</h2><section class="card">'
        f'<ol class="best">{"".join(items)}</ol></section>'
    )


def _links(report: Report) -> str:
    links = report.links
    if links is None or not links.links:
        return ""
    cards = []
    for name, meaning, ranked in (
        ("PageRank", "1 is the mean of all known Urls", links.important),
        ("Authorities", "what good hubs link to; the first has 1", links.authorities),
        ("Hubs", "what links to good authorities; the first has 1", links.hubs),
    ):
        items = [_listed(one.score, one.title or "–", one.url) for one in ranked]
        cards.append(
            f'<section class="card"><h3>{name}</h3><p class="soft">{escape(meaning)}</p>'
            f'<ol class="best">{"".join(items)}</ol></section>'
        )
    part = "" if links.whole else "; there are more, which were left out"
    seen = (
        f"{wording.many(links.links, 'link')} of {wording.many(links.pages, 'page')} of relevance "
        f"{links.relevant_from:g} or more, to {wording.many(links.urls, 'Url')}, fetched or "
        f"not{part}."
    )
    return (
        f'<h2>What links make important</h2><p class="soft">{escape(seen)}</p>'
        f'<div class="pair">{"".join(cards)}</div>'
    )


def _listed(number: float, title: str, url: str) -> str:
    """An entry of a list: a number, and a title that leads to its page."""
    shown = escape(wording.plain(title))
    if url.startswith(("http://", "https://")):
        shown = f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{shown}</a>'
    note = escape(wording.plain(url))
    return f"<li><b>{number:.2f}</b><div>{shown}<span>{note}</span></div></li>"


def _stairs(points: list[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    return [*points, (end, points[-1][1])]


def _round_size(size_bytes: float) -> str:
    return wording.size(size_bytes).replace(".00 ", " ").replace(".0 ", " ")


def _time_unit(seconds: float) -> tuple[float, str]:
    for scale, unit in ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * scale:
            return scale, unit
    return 1.0, "seconds"
