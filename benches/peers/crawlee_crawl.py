"""Crawlee over a site until it is exhausted: links extracted and followed, nothing kept.

Argument: the start page. No retries, no robots.txt, storage in memory.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def main(start: str) -> None:
    crawler = ParselCrawler(
        max_request_retries=0,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=64, max_concurrency=64, desired_concurrency=64
        ),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        await context.enqueue_links()

    await crawler.run([start])


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(main(sys.argv[1]))
