"""The file journal: what saved sessions are on disk. The page of the format is docs/journal-format.md."""
