"""A figure beside its floor and its bar, and the line that shows it."""

from __future__ import annotations

from dataclasses import dataclass

_HEADINGS = ("", "figure", "floor", "ratio", "bar")
_WIDTHS = (72, 11, 11, 7, 13)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Something measured."""

    name: str
    value: float
    unit: str
    """`"ms"`, `"KB"`, `"us"` or `""` for a count."""
    floor: float | None = None
    """The least that could do the same, in the same unit; None if nothing is compared."""
    ratio: float | None = None
    """The value in floors; None for the value divided by the floor."""
    most: float | None = None
    """The bar for the value; None if it is only shown."""
    most_above: float | None = None
    """The bar for the value less its floor."""
    most_times: float | None = None
    """The bar for the ratio."""

    @property
    def times(self) -> float | None:
        """The value in floors; None without a floor."""
        return self.ratio if self.ratio is not None else self.value / self.floor if self.floor else None

    @property
    def over(self) -> bool:
        """True if it is above its bar."""
        return (
            (self.most is not None and self.value > self.most)
            or (self.most_above is not None and self.value - (self.floor or 0.0) > self.most_above)
            or (self.most_times is not None and (self.times or 0.0) > self.most_times)
        )

    @property
    def bar(self) -> str:
        """The bar in words; `""` if there is none."""
        if self.most is not None:
            return f"{self.most:g} {self.unit}".strip()
        if self.most_above is not None:
            return f"floor + {self.most_above:g}"
        return f"{self.most_times:g} x" if self.most_times is not None else ""


def heading(title: str) -> str:
    """The line above a part's figures."""
    return _columns(title, *_HEADINGS[1:])


def line(figure: Figure) -> str:
    """One figure as a line."""
    floor = "" if figure.floor is None else _amount(figure.floor, figure.unit)
    ratio = "" if figure.times is None else f"{figure.times:.2f}"
    said = "over" if figure.over else "ok" if figure.bar else ""
    return (
        f"{_columns(f'  {figure.name}', _amount(figure.value, figure.unit), floor, ratio, figure.bar)}  {said}".rstrip()
    )


def _amount(value: float, unit: str) -> str:
    digits = 0 if not unit else 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1
    return f"{value:.{digits}f} {unit}".strip()


def _columns(first: str, *others: str) -> str:
    cells = (other.rjust(width) for other, width in zip(others, _WIDTHS[1:], strict=True))
    return f"{first.ljust(_WIDTHS[0])}{''.join(cells)}"
