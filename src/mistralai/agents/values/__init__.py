"""The values users read and hand in: records, events, entries, callbacks, content, errors. Knows nothing of what runs them."""
