"""One module for each picture: draw(records) returns a figure, or None where its records are missing."""
