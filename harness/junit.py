"""Results as JUnit XML, which continuous integration shows test by test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree


class Check(NamedTuple):
    """One thing that was checked; `failure` tells what is wrong with it."""

    name: str
    seconds: float
    failure: str | None = None


def junit_xml(suite: str, checks: Iterable[Check]) -> str:
    """The document of one suite."""
    found = list(checks)
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(found)),
        failures=str(sum(check.failure is not None for check in found)),
        errors="0",
        time=f"{sum(check.seconds for check in found):.3f}",
    )
    for check in found:
        case = ElementTree.SubElement(
            root, "testcase", classname=suite, name=check.name, time=f"{check.seconds:.3f}"
        )
        if check.failure is not None:
            failure = ElementTree.SubElement(case, "failure", message=check.failure.split("\n")[0])
            failure.text = check.failure
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
