"""The index as other tools write and read it: CDXJ, CDX in columns, ZipNum.

Comes in: lines of our runs, or files of others. Goes out: files that pywb and its relatives read, or a run.
It must never stop at a line that it cannot read, pass one over without saying so, or need more memory for a
longer file.
"""

from armarium.index.exchange.importing import ImportReport, import_index
from armarium.index.exchange.writing import Form, ZipNumFacts, export_text, export_zipnum

__all__ = ["Form", "ImportReport", "ZipNumFacts", "export_text", "export_zipnum", "import_index"]
