"""Links: every kind, every target once, with the best words for it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model import Link, LinkKind
from shoal.page.links import (
    ANCHOR_CHARACTERS,
    CONTEXT_CHARACTERS,
    MAX_LINKS,
    refresh_target,
)
from shoal.page.parser import PageParser
from shoal.testing.parser import response

PLAIN, EMBEDDING = PageParser(), PageParser(embeds=True)
SITE = "http://www.example.test/"


def links(body: str, *headers: str, embeds: bool = False) -> tuple[Link, ...]:
    told = tuple(("link", value) for value in headers)
    parser = EMBEDDING if embeds else PLAIN
    return parser.parse(response(body.encode(), "text/html; charset=utf-8", headers=told)).links


def told(body: str, *headers: str, embeds: bool = False) -> dict[str, tuple[LinkKind, str]]:
    found = links(body, *headers, embeds=embeds)
    return {link.target.text.removeprefix(SITE): (link.kind, link.anchor) for link in found}


def test_anchors_areas_and_frames_in_the_order_of_the_page() -> None:
    body = """<a href=1>one</a><map><area href=2 alt="two"></map><iframe src=3 title=three>
    <a href=never>never</a></iframe><a href=4>four</a>"""
    assert list(told(body).items()) == [
        ("1", (LinkKind.ANCHOR, "one")),
        ("2", (LinkKind.AREA, "two")),
        ("3", (LinkKind.FRAME, "three")),
        ("4", (LinkKind.ANCHOR, "four")),
    ]
    assert [link.position for link in links(body)] == [0, 1 / 3, 2 / 3, 1]


def test_what_the_head_points_to() -> None:
    body = """<link rel=Canonical href=c><link rel="alternate" href=a title="Auf Deutsch">
    <link rel=next href=n><link rel=stylesheet href=s><link rel=dns-prefetch href=//d.test/>
    <meta http-equiv=Refresh content="5; URL='r'">"""
    assert told(body) == {
        "c": (LinkKind.CANONICAL, ""),
        "a": (LinkKind.ALTERNATE, "Auf Deutsch"),
        "n": (LinkKind.OTHER, ""),
        "r": (LinkKind.REFRESH, ""),
    }


def test_link_headers() -> None:
    value = '<h1>; rel="canonical", <h2>; title="x, y"; rel=next, <h3>; rel=preload, nonsense'
    assert told("", value) == {"h1": (LinkKind.CANONICAL, ""), "h2": (LinkKind.OTHER, "")}


def test_embeds_are_told_on_request_only() -> None:
    body = "<img src=i alt=picture><script src=s></script><link rel=stylesheet href=c>"
    assert told(body) == {}
    assert told(body, embeds=True) == {
        "i": (LinkKind.EMBED, "picture"),
        "s": (LinkKind.EMBED, ""),
        "c": (LinkKind.EMBED, ""),
    }


def test_an_anchor_without_words_borrows_them() -> None:
    body = """<a href=1><img src=x alt="A map"></a><a href=2 title="A &quot;title&quot;"></a>
    <a href=3 aria-label="Label"><span></span></a><a href=4><img src=x></a>"""
    anchors = {name: anchor for name, (_, anchor) in told(body).items()}
    assert anchors == {"1": "A map", "2": 'A "title"', "3": "Label", "4": ""}


def test_anchor_words_are_as_a_reader_sees_them() -> None:
    body = "<a href=1> E<i>coli</i> &amp;\n more<!-- less --></a> "
    body += "<a href=2><h3>Head</h3><p>Text</p></a>"
    anchors = {name: anchor for name, (_, anchor) in told(body).items()}
    assert anchors["1"] == "Ecoli & more"
    assert anchors["2"] == "Head Text"


def test_context_is_the_words_around_without_the_anchor() -> None:
    body = (
        "<p>Rivers carry <b>fine</b> sand to <a href=x>the delta</a> where the tide takes it.</p>"
    )
    (link,) = links(body)
    assert link.context == "Rivers carry fine sand to where the tide takes it."


def test_context_is_about_ten_whole_words_on_either_side() -> None:
    before = " ".join(f"before{n}" for n in range(40))
    after = " ".join(f"after{n}" for n in range(40))
    (link,) = links(f"<p>{before} <a href=x>x</a> {after}</p>")
    words = link.context.split()
    assert set(words) <= {*before.split(), *after.split()}
    assert "before39" in words
    assert "after0" in words
    assert 12 <= len(words) <= 24


def test_one_target_is_one_link_with_the_richest_anchor() -> None:
    body = """<a href=x>here</a> then <a href=y>other</a> and the <a href=/x#part>history of tides
    </a> told <a href=x rel=nofollow><img src=i></a>"""
    first, second = links(body)
    assert (first.target.text, first.anchor) == (SITE + "x", "history of tides")
    assert "told" in first.context
    assert second.anchor == "other"


def test_nofollow_counts_when_every_place_says_it() -> None:
    body = """<a href=1 rel="NoFollow ugc">a</a><a href=1 rel=nofollow>b</a>
    <a href=2 rel=nofollow>c</a><a href=2>d</a>"""
    one, two = links(body)
    assert one.nofollow
    assert not two.nofollow


def test_links_to_the_page_itself_are_left_out() -> None:
    assert links("<a href=''>a</a><a href='#top'>b</a><a href=page>c</a>") == ()


def test_what_is_canonical_and_shown_stands_where_it_is_shown() -> None:
    body = "<link rel=canonical href=x><a href=a>a</a><a href=x>x</a>"
    assert [(link.kind, link.target.text[-1]) for link in links(body)] == [
        (LinkKind.ANCHOR, "a"),
        (LinkKind.CANONICAL, "x"),
    ]


def test_links_and_their_words_are_bounded() -> None:
    word = "w" * 3_000
    body = f"<p>{word}<a href=x>{word}</a>{word}" + "".join(
        f"<a href={number}>x</a>" for number in range(MAX_LINKS + 10)
    )
    found = links(body)
    assert len(found) == MAX_LINKS
    assert len(found[0].anchor) == ANCHOR_CHARACTERS
    assert 0 < len(found[0].context) <= CONTEXT_CHARACTERS


def test_links_in_what_is_not_shown_are_no_links() -> None:
    body = """<script>"<a href=1>x</a>"</script><!-- <a href=2>x</a> --><template><a href=3>x</a>
    </template><textarea><a href=4>x</a></textarea><style><a href=5></style>
    <p title='<a href="6">'>x</p><xmp><a href=7>x</a></xmp>"""
    assert links(body) == ()


def test_links_in_hidden_and_navigation_parts_are_links() -> None:
    body = "<nav><a href=1>x</a></nav><div style='display:none'><a href=2>y</a></div>"
    assert set(told(body)) == {"1", "2"}


def test_forged_marks_change_nothing() -> None:
    body = (
        "<a href=1>one &#2; &#x1;</a> <a href=2>two\x01\x02\x08</a> <a name=x>three</a> <a href=4>f"
    )
    anchors = {name: anchor for name, (_, anchor) in told(body).items()}
    assert anchors == {"1": "one", "2": "two", "4": "f"}


def test_refresh_targets() -> None:
    for content, target in (
        ("0; url=x", "x"),
        ("5;URL = 'a b'", "a b"),
        ('0;url="x"y', "x"),
        ("3,x", "x"),
        ("30", ""),
        ("", ""),
        ("0;", ""),
    ):
        assert refresh_target(content) == target, content


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<>&"), max_size=12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8))
def test_every_anchor_keeps_its_own_words(pairs: list[tuple[str, str]]) -> None:
    body = "".join(f"<a href=/{n}>w{n} {word}</a>{rest}" for n, (word, rest) in enumerate(pairs))
    found = links(body)
    assert [link.target.text for link in found] == [f"{SITE}{n}" for n in range(len(pairs))]
    for number, link in enumerate(found):
        assert link.anchor.split()[0] == f"w{number}"
