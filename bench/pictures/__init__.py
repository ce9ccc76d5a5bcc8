"""Each module draws one picture: draw(records) returns a figure, or None if its records are missing."""
