"""What the analyses of all protocols share: which answers count, who gave them, how they were asked for."""
