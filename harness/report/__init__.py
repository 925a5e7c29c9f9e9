"""report.html: what a run showed, on one self-contained page, rebuilt from run.json at any time."""

from harness.report.writing import write_report

__all__ = ["write_report"]
