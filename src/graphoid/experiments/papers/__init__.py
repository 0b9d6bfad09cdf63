"""Figures that papers print, to stand beside ours; a module a paper, by its key in the bibliography."""
