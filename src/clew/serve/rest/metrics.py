"""What Prometheus reads: requests by route and status, latency by route and mode, stages."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The figures of one server. No label holds what a caller wrote: routes are templates."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "clew_requests",
            "Requests by route and status",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "clew_request_seconds",
            "Seconds from request to the end of the response",
            ["route", "mode"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._stages = Histogram(
            "clew_stage_seconds",
            "Seconds of each stage of retrieval and answering",
            ["mode", "stage"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.in_flight = Gauge(
            "clew_requests_in_flight", "Requests being answered", registry=self._registry
        )

    def finished(self, *, method: str, route: str, status: int, mode: str, seconds: float) -> None:
        """Count a request that has ended."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route, mode).observe(seconds)

    def stages(self, mode: str, timings: Mapping[str, float]) -> None:
        """Count the stages of a question; `timings` are milliseconds by stage."""
        for stage, milliseconds in timings.items():
            self._stages.labels(mode, stage).observe(milliseconds / 1000.0)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self._registry)
