"""`python -m engine`: the UCI program."""

from .uci import main

raise SystemExit(main())
