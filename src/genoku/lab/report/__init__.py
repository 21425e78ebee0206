"""Reports of studies: pages of text, tables and charts, as HTML or Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.lab.report.build import report as report
    from genoku.lab.report.page import Page as Page

__getattr__ = lazy_exports(__name__)
