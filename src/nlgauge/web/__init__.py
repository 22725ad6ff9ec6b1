"""The judges’ site and the researcher’s dashboard."""
