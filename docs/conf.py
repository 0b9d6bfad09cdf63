"""How the documentation is built: `make docs`, which takes every warning as an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shutil import copy

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import graphoid

project = "graphoid"
author = "The graphoid developers"
project_copyright = author
version = release = graphoid.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",  # NumPy's sections in docstrings
    "myst_parser",  # pages in Markdown, as they are in the repository
    "sphinx_design",  # cards and grids of the landing page
    "sphinx_copybutton",  # copies code without its prompts
    "sphinx_gallery.gen_gallery",  # examples that are run, with what they print and draw
    "packages",  # the reference, by the names of the front door
    "citations",  # [Key]_ in docstrings and pages, by references.bib
    "mathml",  # formulas without a script from elsewhere
]
exclude_patterns = ["_build", "examples", "gallery/sg_execution_times.rst", "sg_execution_times.rst"]
templates_path = ["_templates"]
nitpicky = False  # annotations name types of NumPy and of the inside, which have no page here

# Pages in Markdown
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3  # links to a section of a page, as GitHub has them

# Docstrings
autosummary_generate = True
autodoc_typehints = "description"  # beside what a docstring says of a parameter, not in the signature
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes of a docstring may be properties, too, which have an entry of their own
napoleon_attr_annotations = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
rst_epilog = "\n".join(
    f".. |{size}| replace:: \\|{size}\\|" for size in ("given", *"ABSWXYZ")
)  # sizes of sets
suppress_warnings = [
    "ref.python",  # annotations name some types by a name that two packages use, such as Factor
    "ref.citation",  # an entry of references.bib that nothing cites yet; the other way around is an error
    "myst.header",  # tables of experiments begin at the third level, ready to be put into a page
]

# The gallery
os.environ["GRAPHOID_THREADS"] = "1"  # what is printed never depends on threads; what is timed would
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$" if os.environ.get("GRAPHOID_ONLINE") else r"/\d\d_",  # others need a network
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "default_thumb_file": str(Path(__file__).parent / "_static" / "mark.svg"),
    "min_reported_time": 10_000,
    "plot_gallery": True,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "backreferences_dir": None,
}

# The look
html_theme = "pydata_sphinx_theme"
html_title = "graphoid"
html_static_path = ["_static"]
html_css_files = ["graphoid.css"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "graphoid", "image_light": "_static/mark.svg", "image_dark": "_static/mark.svg"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "friendly",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {"index": [], "start": []}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# `make docs-links`: addresses elsewhere, where there is a network
linkcheck_timeout = 20
linkcheck_retries = 2


def setup(app):  # noqa: D103 - as Sphinx wants it
    app.connect("build-finished", _pages_of_examples)


def _pages_of_examples(app, _error):
    """Put the pages that examples have written beside those that show them."""
    for page in Path(app.srcdir, "examples").glob("*.html"):
        copy(page, Path(app.outdir, "gallery", page.name))
