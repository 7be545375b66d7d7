"""The cost of a primitive: hops, and payload bytes over all links. Tests measure both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Cost:
    """So many hops and payload bytes, for a known number of elements.

    >>> Cost(4, 77) + Cost(1, 40)
    Cost(hops=5, payload=117)
    >>> Cost(4, 77) | Cost(1, 40)
    Cost(hops=4, payload=117)
    """

    hops: int = 0
    payload: int = 0

    def __add__(self, after: Cost) -> Cost:
        """The cost of both, one after the other."""
        return Cost(self.hops + after.hops, self.payload + after.payload)

    def __or__(self, beside: Cost) -> Cost:
        """The cost of both side by side, in the same hops."""
        return Cost(max(self.hops, beside.hops), self.payload + beside.payload)


@dataclass(frozen=True, slots=True)
class CostFunction:
    """Hops on the critical path and payload bytes over all links, for n elements."""

    hops: Callable[[int], int]
    payload: Callable[[int], int]

    @classmethod
    def fixed(cls, hops: int, payload: Callable[[int], int]) -> CostFunction:
        """The cost with so many hops whatever the length, but none for no elements."""
        return cls(lambda n: hops if n else 0, payload)

    def of(self, n: int) -> Cost:
        """The cost for n elements."""
        return Cost(self.hops(n), self.payload(n))


class Primitive(Generic[P, R]):
    """A function with its declared cost, `cost(**parameters)`, given its public parameters."""

    def __init__(self, function: Callable[P, R], cost: Callable[..., CostFunction]) -> None:
        self._function = function
        self.cost = cost
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<primitive {self.__name__}>"


def costs(
    cost: CostFunction | Callable[..., CostFunction],
) -> Callable[[Callable[P, R]], Primitive[P, R]]:
    """A decorator that declares a cost, fixed or computed from public parameters."""

    def declare(function: Callable[P, R]) -> Primitive[P, R]:
        declared: Callable[..., CostFunction]
        declared = (lambda **_parameters: cost) if isinstance(cost, CostFunction) else cost
        return Primitive(function, declared)

    return declare
