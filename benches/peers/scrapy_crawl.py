"""Scrapy over the same pages: links extracted and followed, nothing kept.

Arguments: start, pages.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor


class Pages(scrapy.Spider):  # type: ignore[misc]  # scrapy is not installed where types are checked
    name = "pages"
    start: str
    limit: int
    seen = 0

    async def start(self) -> Any:  # type: ignore[no-redef]  # Scrapy's own name for it
        yield scrapy.Request(START)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        Pages.seen += 1
        if not hasattr(response, "text"):
            return
        for link in EXTRACTOR.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


START, LIMIT = sys.argv[1], int(sys.argv[2])
EXTRACTOR = LinkExtractor()

if __name__ == "__main__":
    process = CrawlerProcess(
        {
            "CLOSESPIDER_PAGECOUNT": LIMIT,
            "DEPTH_PRIORITY": 1,
            "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
            "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "ERROR",
        }
    )
    process.crawl(Pages)
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    process.start()
    print(
        json.dumps(
            {
                "pages": Pages.seen,
                "wall_s": time.perf_counter() - began_s,
                "cpu_s": time.process_time() - began_cpu_s,
            }
        )
    )
