"""A described game in words and pictures: sentences, transcripts, the graph of moving cards."""
