"""Results for people: a page, pictures, tables for a paper."""
