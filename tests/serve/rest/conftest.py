import pytest

from tests.serve.rest.server import Server


@pytest.fixture
def make_server(tmp_path):
    made = []

    def make(**settings):
        made.append(Server(tmp_path, **settings))
        return made[-1]

    yield make
    for server in made:
        server.library.close()


@pytest.fixture
def server(make_server):
    """A server whose collection `default` holds two documents."""
    server = make_server()
    server.fill()
    return server


@pytest.fixture
def client(server):
    with server.client() as client:
        yield client
