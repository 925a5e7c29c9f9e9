"""Results as JUnit XML."""

from xml.etree import ElementTree

from harness.junit import Check, junit_xml


def test_checks_and_failures_are_told() -> None:
    text = junit_xml("perft", [Check("a <b>", 0.5), Check("c", 1.25, "wrong\nby & far")])
    root = ElementTree.fromstring(text.encode())
    assert (root.tag, root.get("name"), root.get("time")) == ("testsuite", "perft", "1.750")
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    right, wrong = root
    assert (right.get("name"), right.get("classname"), len(right)) == ("a <b>", "perft", 0)
    (failure,) = wrong
    assert (failure.get("message"), failure.text) == ("wrong", "wrong\nby & far")
