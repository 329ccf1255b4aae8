"""What a crawl brought and why: read through the Ledger alone, while it runs or afterwards.

Each answer is a value (``summarise``, ``explain``, ``list_pages``) with one function that prints it
and one that makes JSON of it. Exports are in ``shoal.report.export``.
"""

from shoal.report.html import write_html
from shoal.report.importance import LinkAnalysis, LinkOptions, RankedUrl
from shoal.report.pages import PageRow, Sort, list_pages, pages_json, render_pages
from shoal.report.summary import Report, report_json, summarise
from shoal.report.terminal import render_report
from shoal.report.why import Story, Witness, explain, story_json
from shoal.report.why_terminal import render_story

__all__ = [
    "LinkAnalysis",
    "LinkOptions",
    "PageRow",
    "RankedUrl",
    "Report",
    "Sort",
    "Story",
    "Witness",
    "explain",
    "list_pages",
    "pages_json",
    "render_pages",
    "render_report",
    "render_story",
    "report_json",
    "story_json",
    "summarise",
    "write_html",
]
