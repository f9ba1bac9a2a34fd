"""Renderings of a summary: a terminal's, and one HTML page. They see aggregates only."""
