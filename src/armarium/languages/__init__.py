"""Languages: sentences in the reader's language, numbers and dates as that reader writes them.

Comes in: a `Message` or an English sentence, a number, a moment; the language of the moment.
Goes out: text. A new language is one more file in `catalogues/`; no code changes.
It must never decide what is said, only how it is said.
"""
