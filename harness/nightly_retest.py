"""What seems slower is measured again, in turn with the revision that was faster: that decides.

Between two nights a machine's speed changes for reasons of its own, by more than most changes of
code. So an engine that has changed since the last record is measured beside that one in any case.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from harness.history import Record
from harness.nightly import Finding
from harness.nightly_steps import KERNEL, SEARCH_SPEED, last_line, run_command

#: Each revision takes minutes.
MOST_REVISIONS: Final = 2


def is_of_engine(finding: Finding) -> bool:
    """Whether `bench --against` measures it too."""
    name = finding.measure or ""
    return name == SEARCH_SPEED or name.startswith(KERNEL)


def revisions_to_measure(
    now: Record, earlier: Sequence[Record], found: Sequence[Finding]
) -> list[str]:
    """Those that were faster, and the last record's when it was of another engine."""
    commits = [finding.since for finding in found if is_of_engine(finding)]
    if earlier and SEARCH_SPEED in now.measures:
        last = earlier[-1]
        if last.provenance.get("source_digest") != now.provenance.get("source_digest"):
            commits.insert(0, last.commit)
    return list(dict.fromkeys(commit for commit in commits if commit))[:MOST_REVISIONS]


def measured_in_turn(found: Sequence[Finding], commit: str) -> list[Finding]:
    """The findings after a measurement beside a revision, which says what of them is so."""
    done = run_command("bench", "--against", commit)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        reason = f"cannot be measured in turn with {commit[:12]}: {last_line(done.stderr)}"
        return [Finding(f"the engine {reason}", True, commit), *found]
    slower = set(document["slower"])

    def made_sure(finding: Finding) -> Finding:
        if not is_of_engine(finding) or finding.since != commit:
            return finding
        return finding._replace(bad=(finding.measure or "").removeprefix(KERNEL) in slower)

    sentence = f"measured in turn, {document['sentence']}"
    return [Finding(sentence, bool(slower), commit), *map(made_sure, found)]
