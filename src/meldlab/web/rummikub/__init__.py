"""The Rummikub helper: tiles by tap or by text, the best move step by step, and a puzzle a day."""
