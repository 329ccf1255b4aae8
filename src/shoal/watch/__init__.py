"""What a running crawl shows: a display, lines, JSON and metrics, all from one stream of events.

``shoal.watch.metrics`` stands apart: it alone loads prometheus_client.
"""

from shoal.watch.choose import Watchers, pick_watchers
from shoal.watch.display import DisplayWatcher
from shoal.watch.json_lines import JsonWatcher
from shoal.watch.lines import LineWatcher
from shoal.watch.output import Output
from shoal.watch.tally import Before, Tally

__all__ = [
    "Before",
    "DisplayWatcher",
    "JsonWatcher",
    "LineWatcher",
    "Output",
    "Tally",
    "Watchers",
    "pick_watchers",
]
