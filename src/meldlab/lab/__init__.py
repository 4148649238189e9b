"""What joins the games: figures drawn from their data."""
