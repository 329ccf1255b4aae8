"""What a Team is told to do, whatever runs it: its budget, its end, its generations, its losses."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event as Flag

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import config
from shoal.compose.crawl import no_address
from shoal.crawl.budget import Budget
from shoal.crawl.stop import Stop, StopReason
from shoal.crawl.tally import Tally
from shoal.events import CrawlerTrouble, Event, Started, Stopped, Waiting
from shoal.frontier.notes import StateNotes
from shoal.frontier.state import StateFile
from shoal.model import Slot, Standing, Wait
from shoal.team.dealer import Dealer
from shoal.team.desk import Broke, Finished, Orders, Question, Report
from shoal.team.keeper import Keeper
from shoal.team.lead import BrokenCrawler, Lead, LostCrawler
from shoal.team.roll import BEGIN_S, END_S, LATE_S, RESTARTS, SILENT_S
from shoal.url import parse_url
from shoal.web.politeness import HostPoliteness
from shoal.web.robots import SiteRobots

NOTHING = Standing(0, 0, 0, 0, 0, 0, 0)


@dataclass
class Ear:
    events: list[Event] = field(default_factory=list)

    def see(self, event: Event) -> None:
        self.events.append(event)

    def close(self) -> None: ...


@dataclass
class Newcomers:
    """A Roster that puts others in the Team, once it is told to."""

    names: Sequence[str]
    wanted: bool = False

    def is_changed(self) -> bool:
        return self.wanted

    def change(self) -> Sequence[str]:
        self.wanted = False
        return self.names


@dataclass
class Led:
    """A Lead, and the clock it looks at."""

    budget: Budget = field(default_factory=Budget)
    roster: Newcomers | None = None
    now_s: float = 0.0
    ear: Ear = field(default_factory=Ear)
    halt: Flag = field(default_factory=Flag)

    def __post_init__(self) -> None:
        settings = config.check({"politeness": {"delay_s": 2.0}})
        state = StateFile.open(":memory:")
        notes = StateNotes(state)
        keeper = Keeper(
            HostPoliteness(settings.politeness, notes, no_address),
            SiteRobots(settings.politeness, settings.fetch.robots_agent, notes),
            None,
        )
        self.lead = Lead(
            ("a", "b"),
            keeper,
            self.budget,
            self.ear,
            self.halt,
            state.commit,
            {},
            lambda: self.now_s,
            self.roster,
        )

    def report(
        self,
        name: str,
        pages: int = 0,
        *,
        idle: bool = False,
        round_: int = 0,
        events: tuple[Event, ...] = (),
    ) -> Orders:
        report = Report(pages, 0, 0.0, idle, pages, round_, events)
        orders = self.lead.answer(name, Question("report", (report,)))
        assert isinstance(orders, Orders)
        return orders

    def finish(self, *names: str, stop: Stop) -> None:
        for name in names:
            ended = Stopped(1.0, stop.reason.value, stop.detail, NOTHING)
            self.lead.part(name, Finished(stop, (ended,)))


def test_a_team_is_over_when_all_are_idle_twice_in_a_row() -> None:
    led = Led()
    assert led.report("a", 3, idle=True).stop is None
    second = led.report("b", 4, idle=True).round
    assert second == 1
    assert led.report("a", 3, idle=True, round_=second).stop is None
    # Something came in between: the question is put anew.
    assert led.report("b", 5, idle=False, round_=second).stop is None
    assert led.report("b", 5, idle=True, round_=second).stop is None
    third = led.report("a", 3, idle=True, round_=second).round
    assert led.report("a", 3, idle=True, round_=third).stop is None
    stop = led.report("b", 5, idle=True, round_=third).stop
    assert stop is not None
    assert stop.reason is StopReason.FINISHED


@given(
    st.integers(1, 60),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.booleans()), max_size=60),
)
def test_what_is_dealt_out_never_exceeds_what_was_asked_for(
    pages: int, said: list[tuple[str, int, bool]]
) -> None:
    dealer = Dealer(Budget(pages=pages), "abc", {"former": Tally(pages=1)})
    done, dealt = dict.fromkeys("abc", 0), dict.fromkeys("abc", 0)
    for name, more, idle in said:
        done[name] = min(done[name] + more, dealt[name])
        report = Report(done[name], 0, 0.0, idle, 0, 0, ())
        spent = dealer.spent(name, report)
        assert (spent is not None) == (sum(done.values()) + 1 >= pages)
        given_out = dealer.deal(name, report)
        assert given_out is not None
        dealt[name] = given_out
        assert sum(dealt.values()) + 1 <= max(pages, 1)


def test_a_team_becomes_another_when_all_have_ended() -> None:
    roster = Newcomers(("b", "c", "d"))
    led = Led(Budget(pages=10), roster)
    lead = led.lead
    begun = Started(0.0, False, "t", NOTHING)
    led.report("a", 0, events=(begun,))
    led.report("b", 0, events=(begun,))
    led.report("a", 2)
    roster.wanted = True
    led.now_s += 2.0
    lead.look_round()
    regroup = led.report("a", 2).stop
    assert regroup is not None
    assert regroup.reason is StopReason.REGROUPED
    assert led.report("b", 1).stop == regroup
    led.finish("a", stop=regroup)
    assert not lead.all_left()
    led.finish("b", stop=regroup)
    assert lead.all_left()
    assert lead.regroup()
    assert lead.names == ("b", "c", "d")
    assert not lead.all_left()
    for name in lead.names:
        led.report(name, 1 if name == "b" else 0, events=(begun,))
    # Seven pages are left, whoever fetches them.
    dealt = [led.report(name, 1 if name == "b" else 0).pages for name in lead.names]
    assert sum(pages or 0 for pages in dealt) <= 8
    stop = led.report("c", 7).stop
    assert stop is not None
    assert stop.reason is StopReason.PAGES
    led.finish("b", "c", "d", stop=stop)
    assert not lead.regroup()
    assert lead.outcome() == stop
    kinds = [type(event) for event in led.ear.events]
    assert kinds.count(Started) == kinds.count(Stopped) == 1


def test_a_crawler_is_started_again_until_it_is_too_often() -> None:
    led = Led()
    for _ in range(RESTARTS):
        assert led.lead.lost("a", "it ended without a word")
    assert not led.lead.lost("a", "it ended without a word")
    led.finish("b", stop=Stop(StopReason.INTERRUPTED, ""))
    assert led.lead.all_left()
    with pytest.raises(LostCrawler, match="the crawler a ended again and again"):
        led.lead.outcome()


def test_who_is_lost_leaves_its_hosts_to_others_after_their_pause() -> None:
    led = Led()

    def reserve(name: str, now_s: float) -> Slot | Wait:
        given = (now_s, True, ((parse_url("http://one.test/"), None),))
        [(answer, _)] = led.lead.answer(name, Question("reserve", given))
        assert isinstance(answer, Slot | Wait)
        return answer

    slot = reserve("a", 100.0)
    assert isinstance(slot, Slot)
    assert isinstance(reserve("b", 100.5), Wait)
    led.lead.lost("a", "it was killed")
    assert isinstance(reserve("b", 101.0), Wait)
    assert isinstance(reserve("b", 102.1), Slot)


def test_who_is_still_beginning_is_not_late() -> None:
    led = Led()
    led.now_s = SILENT_S * 10
    assert led.lead.look_round() == []
    assert not any(isinstance(event, CrawlerTrouble) for event in led.ear.events)
    led.now_s = BEGIN_S + 1.0
    assert [name for name, _ in led.lead.look_round()] == ["a", "b"]
    assert led.lead.lost("a", "it did not begin")
    assert [name for name, _ in led.lead.look_round()] == ["b"]


def test_who_says_nothing_is_late_once_and_then_ended() -> None:
    led = Led()
    led.report("a")
    led.now_s = LATE_S + 1.0
    led.report("b")
    for _ in range(2):
        assert led.lead.look_round() == []
    late = [event for event in led.ear.events if isinstance(event, CrawlerTrouble)]
    assert [event.crawler for event in late] == ["a"]
    led.now_s = SILENT_S + 1.0
    led.report("b")
    assert led.lead.look_round() == [("a", f"it said nothing for {led.now_s:.0f} s")]


def test_who_does_not_end_when_asked_to_is_ended() -> None:
    led = Led()
    led.halt.set()
    led.lead.look_round()
    led.now_s = END_S + 1.0
    assert [name for name, _ in led.lead.look_round()] == ["a", "b"]
    for name in ("a", "b"):
        assert not led.lead.lost(name, "it said nothing")
    assert led.lead.outcome().reason is StopReason.INTERRUPTED


def test_what_one_crawler_cannot_get_over_ends_all_in_its_words() -> None:
    led = Led()
    led.lead.part("a", Broke("no room on its disk", 5))
    stop = led.report("b").stop
    assert stop is not None
    led.finish("b", stop=stop)
    with pytest.raises(BrokenCrawler, match="no room on its disk") as caught:
        led.lead.outcome()
    assert caught.value.exit_code == 5
    carried = pickle.loads(pickle.dumps(caught.value))
    assert (str(carried), carried.exit_code) == ("no room on its disk", 5)


def test_a_team_waits_when_all_do_who_have_anything_left() -> None:
    led = Led()
    later, sooner = Waiting(1.0, 60.0, "it rests"), Waiting(2.0, 30.0, "it rests, too")

    def waits() -> list[Event]:
        return [event for event in led.ear.events if isinstance(event, Waiting)]

    led.report("a", 1, events=(later,))
    assert waits() == []
    led.report("b", 1, idle=True)
    assert waits() == [later]
    led.report("b", 1, events=(sooner,))
    assert waits() == [later, sooner]
    led.report("a", 1)
    assert waits() == [later, sooner], "nothing is said twice"


def test_a_team_has_begun_when_one_has_that_has_a_seed_or_all_have() -> None:
    nothing = Started(0.0, False, "t", NOTHING)
    something = Started(0.0, False, "t", Standing(1, 1, 0, 0, 0, 0, 0))
    for first, second in ((nothing, something), (something, nothing)):
        led = Led()
        led.report("a", events=(first,))
        led.report("b", events=(second,))
        begun = [event for event in led.ear.events if isinstance(event, Started)]
        assert begun == [something]
    led = Led()
    led.report("a", events=(nothing,))
    assert led.ear.events == []
    led.report("b", events=(nothing,))
    assert led.ear.events == [nothing]
