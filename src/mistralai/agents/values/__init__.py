"""The values users read and hand in: records, events, entries, callbacks, content, errors. Nothing here runs."""
