"""Crawlee over the same pages: links extracted and followed, nothing kept.

Arguments: start, pages.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from datetime import timedelta

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def main(start: str, limit: int) -> None:
    seen = 0
    crawler = ParselCrawler(
        max_requests_per_crawl=limit,
        max_request_retries=0,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=64, max_concurrency=64, desired_concurrency=64
        ),
        request_handler_timeout=timedelta(seconds=30),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        nonlocal seen
        seen += 1
        await context.enqueue_links()

    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    await crawler.run([start])
    print(
        json.dumps(
            {
                "pages": seen,
                "wall_s": time.perf_counter() - began_s,
                "cpu_s": time.process_time() - began_cpu_s,
            }
        )
    )


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
