"""The socket that a server listens at."""

import socket

from privet.web.serve import listening


def test_answers_do_not_wait_for_one_another() -> None:
    """A reply's second packet must not wait until the first is acknowledged: that takes 40 ms."""
    with (
        listening("127.0.0.1", 0) as at,
        socket.create_connection(at.getsockname()),
        at.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
