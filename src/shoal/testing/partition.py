"""What every Partition must do. Subclass PartitionContract and give ``make_partition``."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shoal.model import Link, Page
from shoal.ports import Guesser, Partition
from shoal.url import Url, parse_url

_HOSTS = st.sampled_from(
    ["a.example", "www.a.example", "b.example.co.uk", "c.example.jp", "127.0.0.1", "[::1]:8080"]
)
_PATHS = st.text(alphabet="ab/.-", max_size=12)
_WORDS = st.text(alphabet="abc é", max_size=40)
ADDRESSES = st.builds(lambda host, path: parse_url(f"http://{host}/{path}"), _HOSTS, _PATHS)


def page_of(url: Url, text: str) -> Page:
    words = text.split()
    terms = {word: words.count(word) for word in words}
    return Page(url, "text/html", text=text, terms=terms, digest=f"sha1:{text}" if text else "")


class PartitionContract:
    crawlers: tuple[str, ...] = ("one", "two", "three")

    def make_partition(self) -> Partition:
        """A Partition for ``crawlers``: the same one each time."""
        raise NotImplementedError("give the contract a partition to look at")

    def test_its_crawlers_are_those_that_were_named(self) -> None:
        assert self.make_partition().crawlers == self.crawlers

    @given(url=ADDRESSES, text=_WORDS)
    def test_every_page_has_an_owner_the_same_one_everywhere(self, url: Url, text: str) -> None:
        first, second = self.make_partition(), self.make_partition()
        page = page_of(url, text)
        for fetched_by in self.crawlers:
            owner = first.owner_of_page(page, fetched_by)
            assert owner in self.crawlers
            assert second.owner_of_page(page, fetched_by) == owner
        assert first.version == second.version

    @given(urls=st.lists(ADDRESSES, max_size=5), anchor=_WORDS)
    def test_every_link_has_an_owner_or_is_for_whoever_met_it(
        self, urls: list[Url], anchor: str
    ) -> None:
        first, second = self.make_partition(), self.make_partition()
        links = [Link(None, url, anchor=anchor) for url in urls]
        for met_by in self.crawlers:
            owners = first.owners_of_links(links, met_by)
            assert len(owners) == len(links)
            assert set(owners) <= {None, *self.crawlers}
            assert list(second.owners_of_links(links, met_by)) == list(owners)

    @given(url=ADDRESSES)
    def test_what_a_guesser_learns_may_change_links_alone(self, url: Url) -> None:
        partition = self.make_partition()
        if not isinstance(partition, Guesser):
            return
        page, link = page_of(url, "a b c"), Link(None, url, anchor="a b")
        owner = partition.owner_of_page(page, "one")
        for _ in range(10):
            partition.learn(link, "three")
        assert partition.owner_of_page(page, "one") == owner
        assert set(partition.owners_of_links([link], "one")) <= {None, *self.crawlers}
