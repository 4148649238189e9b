"""Pages in one file: pictures, tables and downloads inside, nothing from elsewhere, readable on a phone and in the dark."""
