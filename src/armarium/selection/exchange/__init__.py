"""Exchange: records out of and into the house, as CSV and as Excel's .xlsx."""
