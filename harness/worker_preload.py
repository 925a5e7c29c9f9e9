"""Imported once by the fork server, before it forks the first worker: the engine, ready to play.

Workers then share the compiled code in memory and start at once. The fork server swallows an
ImportError here; the workers, which import the same, report it.
"""

import os
import sys
from typing import Final

SNAPSHOT_VARIABLE: Final = "NUMBISHOP_SNAPSHOT"

sys.path.insert(0, os.environ[SNAPSHOT_VARIABLE])

import harness.chunks  # noqa: E402
import harness.game  # noqa: E402
import harness.openings  # noqa: E402
import harness.player_pool  # noqa: E402
import harness.players  # noqa: E402
import harness.worker  # noqa: E402, F401
from engine.shell import warm_up  # noqa: E402

warm_up()
