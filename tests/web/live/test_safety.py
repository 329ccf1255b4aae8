"""No byte goes to an address that is not allowed, however its name was come by."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from shoal.model import Failure, FailureKind, Lookedup, Response
from shoal.settings import FetchSettings
from shoal.url import parse_url
from shoal.web.dns import Lookup
from shoal.web.routes import NameUnknown, Override, Refusal, Route, Router
from tests.web.live.asking import LOCAL, ask, live_web
from tests.web.live.servers import raw_server, says, whole

STRICT = replace(LOCAL, allow_private=False)
PUBLIC = "93.184.216.34"


def resolves_to(*addresses: str) -> Lookup:
    return lambda _host: addresses


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "0.0.0.0"]
)
def test_a_name_that_leads_to_a_private_address_is_refused(address: str) -> None:
    with (
        raw_server(says(whole(b"secret"))) as server,
        live_web(STRICT, resolver=resolves_to(address)) as web,
    ):
        answer = ask(web, f"http://innocent.example:{server.port}/")
        assert not server.connections
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.FORBIDDEN_ADDRESS
    assert address in answer.message


def test_the_socket_is_checked_whatever_was_decided_before() -> None:
    with raw_server(says(whole(b"secret"))) as server:
        settings = replace(STRICT, resolve=(f"*:*=127.0.0.1:{server.port}",))
        with live_web(settings) as web:
            answer = ask(web, "http://innocent.example/")
        assert not server.connections
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.FORBIDDEN_ADDRESS


def test_a_name_that_changes_its_address_is_pinned_or_refused() -> None:
    """DNS rebinding: the address that was checked is the address that is connected to."""
    answers = iter([("127.0.0.1",), (PUBLIC,)])
    with (
        raw_server(says(whole(b"secret"))) as server,
        live_web(STRICT, resolver=lambda _host: next(answers)) as web,
    ):
        for _ in range(3):
            answer = ask(web, f"http://rebind.example:{server.port}/")
            assert isinstance(answer, Failure)
            assert answer.kind is FailureKind.FORBIDDEN_ADDRESS
        assert not server.connections


def test_a_redirect_into_the_private_world_goes_nowhere() -> None:
    with raw_server(says(whole(b"secret"))) as inner:
        away = whole(b"", f"Location: {inner.url}/".encode(), status=b"302 Found")
        with raw_server(says(away)) as outer, live_web() as web:
            assert isinstance(ask(web, outer.url), Response)
        assert not inner.connections


def test_only_the_public_addresses_of_a_name_are_tried() -> None:
    route = Router(STRICT).find(
        parse_url("http://mixed.example/"), Lookedup(("10.0.0.1", PUBLIC, "2606:4700::1"), 0.0)
    )
    assert route == Route(resolve=f"+mixed.example:80:{PUBLIC},[2606:4700::1]")


def test_names_must_be_known_first() -> None:
    assert Router(STRICT).find(parse_url("http://a.example/"), None) == NameUnknown("a.example")


# --------------------------------------------------------------------------- overrides


def test_an_override_needs_no_name() -> None:
    def forbidden(host: str) -> tuple[str, ...]:
        raise AssertionError(host)

    with raw_server(says(whole(b"words"), stays=True)) as server:
        settings = replace(LOCAL, resolve=(f"*:80=127.0.0.1:{server.port}",))
        with live_web(settings, resolver=forbidden) as web:
            for host in ("a.example", "b.example", "10.1.2.3"):
                answer = ask(web, f"http://{host}/page")
                assert isinstance(answer, Response)
                assert answer.ip == "127.0.0.1"
                assert web.ip_of(host) == "127.0.0.1"
        assert [b"Host: b.example\r\n" in head for head in server.requests] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "host", "port", "matches"),
    [
        ("a.example:80=127.0.0.1:8080", "a.example", 80, True),
        ("A.Example:80=127.0.0.1:8080", "a.example", 80, True),
        ("a.example:80=127.0.0.1:8080", "a.example", 81, False),
        ("a.example:*=127.0.0.1:8080", "a.example", 81, True),
        ("*:443=127.0.0.1:8080", "b.example", 443, True),
        ("*:443=127.0.0.1:8080", "b.example", 80, False),
        ("*:*=[::1]:8080", "b.example", 80, True),
        ("[::1]:80=127.0.0.1:8080", "[::1]", 80, True),
    ],
)
def test_overrides_match_by_host_and_port(text: str, host: str, port: int, matches: bool) -> None:
    assert Override.parse(text).matches(host, port) is matches


@pytest.mark.parametrize(
    "text", ["", "a=b", "a:80", "a:80=b", "a:x=b:80", "a:80=b:x", "a:80=b:99999", ":80=b:80"]
)
def test_an_override_that_is_none_names_the_setting(text: str) -> None:
    with pytest.raises(ValueError, match=r"fetch\.resolve"):
        Override.parse(text)


# --------------------------------------------------------------------------- through a proxy


def through(port: int) -> FetchSettings:
    return replace(STRICT, proxy=f"http://127.0.0.1:{port}")


def test_a_proxy_is_asked_for_public_hosts() -> None:
    with (
        raw_server(says(whole(b"words"), stays=True)) as proxy,
        live_web(through(proxy.port), resolver=resolves_to(PUBLIC)) as web,
    ):
        answer = ask(web, "http://a.example/page?q")
        assert isinstance(answer, Response)
        assert answer.body == b"words"
        assert proxy.requests == [answer.request_head]
        assert answer.request_head.startswith(b"GET http://a.example/page?q HTTP/1.1\r\n")


def test_a_proxy_is_asked_where_we_cannot_look_a_name_up() -> None:
    def fails(_host: str) -> tuple[str, ...]:
        raise OSError("no name server")

    with (
        raw_server(says(whole(b"words"))) as proxy,
        live_web(through(proxy.port), resolver=fails) as web,
    ):
        assert isinstance(ask(web, "http://a.example/"), Response)


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "[::1]", "private.example"])
def test_a_proxy_is_not_asked_for_private_hosts(host: str) -> None:
    with (
        raw_server(says(whole(b"secret"))) as proxy,
        live_web(through(proxy.port), resolver=resolves_to(PUBLIC, "10.0.0.1")) as web,
    ):
        answer = ask(web, f"http://{host}/")
        assert not proxy.connections
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.FORBIDDEN_ADDRESS


def test_a_proxy_that_refuses_a_tunnel_is_a_failure() -> None:
    with (
        raw_server(says(whole(b"no", status=b"403 Forbidden"))) as proxy,
        live_web(through(proxy.port), resolver=resolves_to(PUBLIC)) as web,
    ):
        answer = ask(web, "https://a.example/")
    assert isinstance(answer, Failure)
    assert "403" in answer.message


def test_a_socks_proxy_is_no_party_to_the_request() -> None:
    def relay(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)

    def serve(listener: socket.socket, port: int) -> None:
        client, _ = listener.accept()
        with client, socket.create_connection(("127.0.0.1", port)) as site:
            client.recv(100)
            client.sendall(b"\5\0")
            client.recv(100)
            client.sendall(b"\5\0\0\1\0\0\0\0\0\0")
            threading.Thread(target=relay, args=(site, client), daemon=True).start()
            relay(client, site)

    with (
        raw_server(says(whole(b"words"))) as site,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        proxy = threading.Thread(target=serve, args=(listener, site.port), daemon=True)
        proxy.start()
        settings = replace(STRICT, proxy=f"socks5h://127.0.0.1:{listener.getsockname()[1]}")
        with live_web(settings, resolver=resolves_to(PUBLIC)) as web:
            answer = ask(web, "http://a.example/")
            assert isinstance(answer, Response)
            assert site.requests == [answer.request_head]
        proxy.join(5)


def test_the_environments_proxy_is_none_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with raw_server(says(whole(b"words"))) as server, live_web() as web:
        assert isinstance(ask(web, server.url), Response)


def test_an_override_goes_past_the_proxy() -> None:
    with raw_server(says(whole(b"words"))) as server:
        settings = replace(
            LOCAL, proxy="http://127.0.0.1:9", resolve=(f"a.example:80=127.0.0.1:{server.port}",)
        )
        with live_web(settings) as web:
            assert isinstance(ask(web, "http://a.example/"), Response)


def test_refusals_say_why() -> None:
    refusal = Router(STRICT).find(parse_url("http://10.0.0.1/"), None)
    assert isinstance(refusal, Refusal)
    assert "10.0.0.1" in refusal.message
