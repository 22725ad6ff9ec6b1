"""The pages and texts of studies: one module for each kind of result, found by its type."""
