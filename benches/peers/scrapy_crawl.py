"""Scrapy over a site until it is exhausted: links extracted and followed, nothing kept.

Argument: the start page. Breadth first, no politeness, no robots.txt, cookies, retries or console.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor

SETTINGS = {
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


class Pages(scrapy.Spider):
    name = "pages"
    first: str
    extractor = LinkExtractor()

    async def start(self) -> AsyncIterator[scrapy.Request]:
        yield scrapy.Request(self.first)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        if isinstance(response, TextResponse):
            for link in self.extractor.extract_links(response):
                yield scrapy.Request(link.url, callback=self.parse)


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(Pages, first=sys.argv[1])
    process.start()
