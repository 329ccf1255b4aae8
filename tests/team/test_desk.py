"""What the Crawlers of a Team ask of whoever keeps it: no more than they must."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from shoal import config
from shoal.clock import SystemClock
from shoal.compose.team import NoNotes
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import MEMORY, StateFile
from shoal.model import (
    Failure,
    FailureKind,
    Farewell,
    Lookedup,
    Response,
    RobotsUnknown,
    Ruling,
    Slot,
    Taken,
    Wait,
)
from shoal.team.desk import Desk, Names, NoNames, Question
from shoal.team.keeper import Keeper, MemoryClaims, TeamAddresses
from shoal.url import Url, parse_url
from shoal.web.live import LiveWeb
from shoal.web.politeness import PAUSE, HostPoliteness
from shoal.web.robots import SiteRobots
from tests.web.live.asking import LOCAL, ask, live_web
from tests.web.live.servers import raw_server, says, whole

SETTINGS = config.check({})
AGENT = SETTINGS.fetch.robots_agent
ROBOTS = b"User-agent: *\nDisallow: /secret\nCrawl-delay: 7\nSitemap: http://one.test/map.xml\n"


def answered(url: str, status: int = 200, body: bytes = b"", *headers: tuple[str, str]) -> Response:
    return Response(parse_url(url), status, b"", headers, body, body, 0.0, 0.1)


@dataclass
class Line:
    """The line between a Desk and a Keeper, and what was asked on it."""

    name: str
    keeper: Keeper
    asked: list[str] = field(default_factory=list)
    _answer: Any = None

    def send(self, message: Any) -> None:
        assert isinstance(message, Question)
        self.asked.append(message.method)
        self._answer = self.keeper.answer(self.name, message)

    def recv(self) -> Any:
        return self._answer


class Team:
    """A Keeper and its Desks, all in one process."""

    def __init__(self, delay_s: float = 2.0, per_host: int = 1) -> None:
        made = replace(SETTINGS.politeness, delay_s=delay_s, per_host=per_host)
        self.settings = made
        notes = StateNotes(StateFile.open(MEMORY))
        addresses = TeamAddresses()
        self.keeper = Keeper(
            HostPoliteness(made, notes, addresses.ip_of),
            SiteRobots(made, AGENT, notes),
            MemoryClaims(),
            addresses,
        )

    def desk(self, name: str, names: Names | None = None) -> tuple[Desk, list[str]]:
        line = Line(name, self.keeper)
        desk = Desk(line, lambda: 0, lambda: True, lambda: 0.0, names=names or NoNames())
        desk.robots = SiteRobots(self.settings, AGENT, NoNotes())
        desk.pause = Wait(self.settings.delay_s, PAUSE)
        return desk, line.asked


def slot_of(answer: Slot | Wait | Farewell | Taken) -> Slot:
    assert isinstance(answer, Slot)
    return answer


def learn(desk: Desk, origin: str, now_s: float = 0.0) -> None:
    assert desk.learn(origin, answered(origin + "/robots.txt", 200, ROBOTS), now_s) is None


def urls(*paths: str, host: str = "one.test") -> Sequence[Url]:
    return [parse_url(f"http://{host}{path}") for path in paths]


def test_a_robots_txt_is_learnt_once_for_the_team_and_asked_for_once_by_each() -> None:
    team = Team()
    (one, _), (two, asked) = team.desk("one"), team.desk("two")
    page, secret = urls("/page", "/secret/page")
    assert isinstance(two.verdict(page, 0.0), RobotsUnknown)
    learn(one, page.origin)
    for _ in range(3):
        allowed, refused = two.verdict(page, 1.0), two.verdict(secret, 1.0)
        assert isinstance(allowed, Ruling)
        assert allowed.admitted
        assert isinstance(refused, Ruling)
        assert not refused.admitted
    assert two.crawl_delay_s(page.origin) == 7.0
    assert two.sitemaps(page.origin) == ("http://one.test/map.xml",)
    assert asked == ["robots", "robots"]
    # Its time is over for all at once.
    late_s = team.settings.robots_ttl_s + 2.0
    assert isinstance(two.verdict(page, late_s), RobotsUnknown)


def test_a_plain_answer_is_told_with_the_next_question_and_its_host_rests_meanwhile() -> None:
    team = Team()
    (one, asked), (two, _) = team.desk("one"), team.desk("two")
    page, other = urls("/page", "/other")
    slot = slot_of(one.reserve(page, 0.0))
    assert one.release(slot, answered(page.text), 1.0) == Wait(3.0, PAUSE)
    assert asked == ["reserve"]
    # Nobody else may ask there, told or not.
    assert isinstance(two.reserve(other, 1.5), Wait)
    one.tell(1.5)
    assert asked == ["reserve", "nothing"]
    wait = two.reserve(other, 2.9)
    assert isinstance(wait, Wait)
    assert wait.until_s == 3.0
    assert isinstance(two.reserve(other, 3.0), Slot)
    one.tell(3.0)
    assert asked == ["reserve", "nothing"], "nothing is told twice"


def test_trouble_is_told_at_once_and_answered() -> None:
    team = Team()
    desk, asked = team.desk("one")
    page, _ = urls("/page", "/other")
    slot = slot_of(desk.reserve(page, 0.0))
    busy = answered(page.text, 429, b"", ("retry-after", "500"))
    rest = desk.release(slot, busy, 1.0)
    assert isinstance(rest, Wait)
    assert (rest.until_s, rest.parked) == (501.0, True)
    slot = slot_of(desk.reserve(page, 502.0))
    gone = Failure(page, FailureKind.CONNECT, "nobody there", 502.0, 0.1)
    assert isinstance(desk.release(slot, gone, 503.0), Wait)
    assert asked == ["reserve", "release", "reserve", "release"]


def test_slots_for_urls_that_are_leased_together_are_asked_for_together() -> None:
    team = Team(delay_s=0.0, per_host=3)
    desk, asked = team.desk("one")
    pages = urls("/1", "/2", "/3", "/4", "/secret/5")
    learn(desk, pages[0].origin)
    stranger = parse_url("http://two.test/")
    desk.foresee([*pages, stranger], 1.0)
    answers = [desk.reserve(page, 1.0) for page in pages[:4]]
    assert [isinstance(answer, Slot) for answer in answers] == [True, True, True, False]
    # Neither what robots.txt refuses, nor where it is unknown.
    assert asked == ["learn", "reserve"]


def test_a_slot_that_was_foreseen_and_not_asked_for_is_given_back() -> None:
    team = Team(delay_s=0.0)
    (one, _), (two, _) = team.desk("one"), team.desk("two")
    page, other = urls("/page")[0], urls("/page", host="two.test")[0]
    for url in (page, other):
        learn(one, url.origin)
    one.foresee([page, other], 1.0)
    slot_of(one.reserve(page, 1.0))
    assert isinstance(two.reserve(urls("/more", host="two.test")[0], 1.0), Wait)
    one.tell(2.0)
    assert isinstance(two.reserve(urls("/more", host="two.test")[0], 10.0), Slot)


def test_the_pause_of_a_host_holds_for_all_though_answers_are_told_late() -> None:
    """Requests by three Crawlers in turns, each asking as soon as it is let: never two closer than
    the delay."""
    team = Team()
    desks = [team.desk(name)[0] for name in ("one", "two", "three")]
    started: list[float] = []
    under_way: dict[int, tuple[Slot, float]] = {}
    for tick in range(400):
        now_s = tick * 0.1
        number = tick % 3
        desk = desks[number]
        if number in under_way:
            slot, end_s = under_way[number]
            if now_s >= end_s:
                del under_way[number]
                desk.release(slot, answered("http://one.test/x"), now_s)
            continue
        answer = desk.reserve(parse_url(f"http://one.test/{tick}"), now_s)
        if isinstance(answer, Slot):
            started.append(now_s)
            under_way[number] = (answer, now_s + 0.3)
    assert len(started) > 5
    assert all(later - earlier >= 2.0 for earlier, later in pairwise(started))


# --------------------------------------------------------------------------- where hosts stand


class Counting:
    """A resolver that counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, host: str) -> tuple[str, ...]:
        self.asked.append(host)
        return ("127.0.0.1",)


def fetch_by(desk: Desk, web: LiveWeb, url: str) -> Response | Failure:
    now_s = SystemClock().now_s()
    slot = slot_of(desk.reserve(parse_url(url), now_s))
    fetched = ask(web, url)
    desk.release(slot, fetched, SystemClock().now_s())
    desk.tell(SystemClock().now_s())
    return fetched


def test_a_host_is_looked_up_once_for_the_team() -> None:
    team, resolver = Team(delay_s=0.0), Counting()
    with (
        raw_server(says(whole(b"words"))) as server,
        live_web(resolver=resolver) as first,
        live_web(resolver=resolver) as second,
    ):
        one, _ = team.desk("one", first)
        two, _ = team.desk("two", second)
        for desk, web in ((one, first), (two, second), (one, first)):
            fetched = fetch_by(desk, web, f"http://host.test:{server.port}/{desk is one}")
            assert isinstance(fetched, Response | Failure)
            assert fetched.status == 200
    assert resolver.asked == ["host.test"]


def test_a_shared_address_is_no_way_round_the_guard_of_private_ones() -> None:
    team, resolver = Team(delay_s=0.0), Counting()
    with live_web(replace(LOCAL, allow_private=False), resolver=resolver) as web:
        desk, _ = team.desk("one", web)
        for address in ("127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"):
            until_s = SystemClock().now_s() + 100.0
            team.keeper.addresses.learn("host.test", Lookedup((address,), until_s))
            web.learn("host.test", Lookedup((address,), until_s))
            fetched = fetch_by(desk, web, "http://host.test/")
            assert isinstance(fetched, Failure)
            assert fetched.kind is FailureKind.FORBIDDEN_ADDRESS
    assert not resolver.asked


def test_what_was_looked_up_long_ago_is_not_shared() -> None:
    addresses = TeamAddresses(hosts=2)
    addresses.learn("a.test", Lookedup(("192.0.2.1",), 10.0))
    assert addresses.known("a.test", 9.0) is not None
    assert addresses.known("a.test", 10.0) is None
    # The limit on requests to one address goes by it all the same.
    assert addresses.ip_of("a.test") == "192.0.2.1"
    for host in ("b.test", "c.test"):
        addresses.learn(host, Lookedup((), 10.0, "no such name"))
    assert addresses.ip_of("a.test") is None, "memory is bounded"
    assert addresses.ip_of("b.test") is None
