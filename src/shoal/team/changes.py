"""What may become of a Roster: one function a change, from a Roster to the next.

1. A change that would leave a Url or a topic without an owner, or make one name mean two Crawlers,
   raises BadChange, whose message says what to do instead. Nothing is changed then.
2. Only what the change speaks of has another owner afterwards. A Crawler that goes leaves its own
   to its heirs, and one that comes takes its own; between two that stay nothing moves.
3. Names are never used again: the pages of a retired Crawler are under its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from shoal.errors import UsageError
from shoal.team.roster import BETWEEN, Member, MemberState, Roster, Split
from shoal.wording import nearest

REMEMBERED: Final = 100
"""Orders whose ids are kept."""
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class BadChange(UsageError):
    """A change that cannot be."""


def name_for(topic: str) -> str:
    """A Crawler's name, made of a topic's."""
    return _ODD.sub("-", topic).strip("-.") or "topic"


def founded(partition: str, names: Sequence[str]) -> Roster:
    """The Roster of a Team in which a ring, or the content, says who owns what."""
    return Roster(partition, tuple(map(Member, names)))


def founded_on_topics(partition: str, owners: Mapping[str, str]) -> Roster:
    """That of a Team that shares by topic: each topic with its Crawler."""
    names = tuple(dict.fromkeys(owners.values()))
    return Roster(partition, tuple(map(Member, names)), owners)


# --------------------------------------------------------------------------- who comes and goes


def add(roster: Roster, name: str | None, categories: Sequence[str] = ()) -> Roster:
    """One more Crawler. Where topics decide, it takes ``categories`` over from their owners."""
    if categories and not roster.topics:
        raise BadChange(
            f"--category is for teams that share by topic; this one shares by {roster.partition}, "
            "which says by itself what another crawler takes over"
        )
    if roster.topics and not categories:
        raise BadChange(
            "this team shares by topic: say with --category which topics the new crawler takes "
            f"over, of {', '.join(roster.topics)}"
        )
    for category in categories:
        _known_topic(roster, category)
    name = name or (name_for(categories[0]) if categories else _next_name(roster))
    _free_name(roster, name)
    version = roster.version + 1
    topics = {**roster.topics, **dict.fromkeys(categories, name)}
    newcomer = Member(name, joined=version, gained=version)
    return replace(roster, members=(*roster.members, newcomer), topics=topics, version=version)


def split(roster: Roster, topic: str, model: str, trained_at: str, told: Sequence[str]) -> Roster:
    """The categories ``told`` of a model become topics below ``topic``, with Crawlers of their own.
    What the model can put into none of them stays with the owner of ``topic``."""
    if not roster.topics:
        raise BadChange(
            f"this team shares by {roster.partition}: there are no topics to split; "
            "`shoal team add` makes it one crawler more"
        )
    _known_topic(roster, topic)
    before = next((one for one in roster.splits if one.topic == topic), None)
    if before is not None:
        parts = ", ".join(f"{topic}{BETWEEN}{category}" for category in before.categories)
        raise BadChange(f"{topic} is split already, into {parts}: split one of those")
    if len(told) < 2:
        raise BadChange(f"{model} tells {len(told)} category: to split a topic takes at least two")
    repeated = sorted({category for category in told if list(told).count(category) > 1})
    if repeated:
        raise BadChange(f"{model} has two categories by one name: {', '.join(repeated)}")
    version = roster.version + 1
    topics, members = dict(roster.topics), list(roster.members)
    for category in told:
        path = f"{topic}{BETWEEN}{category}"
        if path in topics:
            raise BadChange(f"there is a topic {path} already")
        name = name_for(path)
        _free_name(replace(roster, members=tuple(members)), name)
        topics[path] = name
        members.append(Member(name, joined=version, gained=version))
    made = Split(topic, model, trained_at, tuple(told))
    return replace(
        roster,
        members=tuple(members),
        topics=topics,
        splits=(*roster.splits, made),
        version=version,
    )


def drain(roster: Roster, name: str, to: str | None = None) -> Roster:
    """A Crawler leaves. Its topics go ``to`` another one."""
    _active(roster, name, "drained")
    others = tuple(one for one in roster.active if one != name)
    if not others:
        raise BadChange(f"{name} is the last crawler of the team: somebody has to go on")
    topics = roster.topics_of(name)
    if to is not None and not roster.topics:
        raise BadChange(
            f"--to is for teams that share by topic; this one shares by {roster.partition}, which "
            f"says by itself who takes over from {name}"
        )
    if topics and to is None:
        raise BadChange(
            f"{name} has {', '.join(topics)}, and a topic must not be without an owner: say with "
            f"--to who takes over, of {', '.join(others)}"
        )
    if to == name:
        raise BadChange(f"{name} cannot take over from itself: give another crawler to --to")
    if to is not None:
        _active(roster, to, "given anything")
    version = roster.version + 1
    # A ring leaves to everybody, a topic to one.
    gaining = (to,) if to is not None and roster.partition != "topic-by-host" else others
    members = tuple(
        replace(one, state=MemberState.LEAVING, heirs=() if to is None else (to,))
        if one.name == name
        else replace(one, gained=version)
        if one.name in gaining
        else one
        for one in roster.members
    )
    return replace(
        roster,
        members=members,
        topics={
            topic: to if owner == name and to is not None else owner
            for topic, owner in roster.topics.items()
        },
        stretches={stretch: owner for stretch, owner in roster.stretches.items() if owner != name},
        version=version,
    )


def move(roster: Roster, name: str, place: str) -> Roster:
    """A Crawler is to be in another folder; what it owns stays its own."""
    one = _member(roster, name)
    if one.state is MemberState.RETIRED:
        raise BadChange(f"{name} is retired: its pages are read where they are")
    if place == one.place:
        raise BadChange(f"{name} is at {place} already")
    return _with(roster, replace(one, place=place))


def balance(roster: Roster, stretches: Mapping[str, str]) -> Roster:
    """Stretches of the Url hierarchy have these owners from now on; the same Roster where they had
    them before."""
    for name in stretches.values():
        _active(roster, name, "given anything")
    gaining = {name for stretch, name in stretches.items() if roster.stretches.get(stretch) != name}
    if not gaining:
        return roster
    version = roster.version + 1
    members = tuple(
        replace(one, gained=version) if one.name in gaining else one for one in roster.members
    )
    both = {**roster.stretches, **stretches}
    return replace(roster, members=members, stretches=both, version=version)


def retire(roster: Roster, name: str) -> Roster:
    """All that waited with a leaving Crawler is with others now."""
    one = _member(roster, name)
    if one.state is not MemberState.LEAVING:
        raise BadChange(f"{name} is {one.state.value}: only one that is leaving can retire")
    return _with(roster, replace(one, state=MemberState.RETIRED))


def obeyed(roster: Roster, order: str) -> Roster:
    """The same, with an order that is done with."""
    return replace(roster, orders=(*roster.orders, order)[-REMEMBERED:])


# --------------------------------------------------------------------------- in words


def differences(before: Roster, after: Roster) -> list[str]:
    """What a change means, a line each, for whoever asked for it."""
    lines = []
    were = {one.name: one for one in before.members}
    for one in after.members:
        was = were.get(one.name)
        if was is None:
            lines.append(f"{one.name} joins the team{_what_comes(after, one.name)}")
        elif was.state is not one.state:
            lines.append(f"{one.name} is {one.state.value}{_what_goes(before, after, one.name)}")
        elif was.place != one.place:
            lines.append(f"{one.name} moves to {one.place}, with its state and its archive")
    for split_ in after.splits[len(before.splits) :]:
        owner = after.topics[split_.topic]
        lines.append(f"what {split_.model} tells to be nothing of these stays with {owner}")
    lines += [
        f"{stretch} goes to {owner}"
        for stretch, owner in after.stretches.items()
        if before.stretches.get(stretch) != owner
    ]
    if after.version != before.version:
        lines.append(
            "pages that were fetched stay in the archive they are in; Urls that wait go to their "
            "new owners"
        )
    return lines


def _what_comes(after: Roster, name: str) -> str:
    topics = after.topics_of(name)
    if topics:
        return f": it has {', '.join(topics)} from now on"
    return f": it takes about 1/{len(after.active)} of what is shared by {after.partition}"


def _what_goes(before: Roster, after: Roster, name: str) -> str:
    one = after.member(name)
    if one is None or one.state is not MemberState.LEAVING:
        return ""
    things = ", ".join((*before.topics_of(name), "what waits with it"))
    return f": it hands {things} on to {', '.join(after.heirs(name))}"


# --------------------------------------------------------------------------- names


def _member(roster: Roster, name: str) -> Member:
    one = roster.member(name)
    if one is None:
        names = [member.name for member in roster.members]
        raise BadChange(f"there is no crawler {name!r}{nearest(name, names)}")
    return one


def _active(roster: Roster, name: str, done: str) -> Member:
    one = _member(roster, name)
    if one.state is not MemberState.ACTIVE:
        raise BadChange(f"{name} is {one.state.value} already: it cannot be {done}")
    return one


def _known_topic(roster: Roster, topic: str) -> None:
    if topic not in roster.topics:
        raise BadChange(f"there is no topic {topic!r}{nearest(topic, list(roster.topics))}")


def _free_name(roster: Roster, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadChange(
            f"{name!r} cannot be a crawler's name: it becomes a folder's, so letters, digits and "
            "`._-` make it, and it begins with a letter or digit"
        )
    one = next((one for one in roster.members if one.name.lower() == name.lower()), None)
    if one is not None:
        raise BadChange(
            f"there is a crawler {one.name} already ({one.state.value}); names are not used twice"
        )


def _next_name(roster: Roster) -> str:
    taken = {one.name.lower() for one in roster.members}
    number = len(taken) + 1
    while f"crawler-{number}" in taken:
        number += 1
    return f"crawler-{number}"


def _with(roster: Roster, changed: Member) -> Roster:
    members = tuple(changed if one.name == changed.name else one for one in roster.members)
    return replace(roster, members=members)
