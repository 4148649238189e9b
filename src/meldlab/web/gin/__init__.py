"""The gin table: matches against players whose strength was measured."""
