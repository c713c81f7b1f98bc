"""The site, made by Sphinx: ``make docs``.

Its source is the repository itself, not the folder of this file: what reads on the code host (README, notebooks, results of
benchmarks) is a page of the site where it stands, and links between them are the same in both. What there is beyond plain
Sphinx is in ``docs/site/``.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as version_of
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # signatures and docstrings, nothing is computed

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
sys.path.insert(0, str(HERE / "site"))

project = "pluecker"
author = "The pluecker developers"
copyright = f"{author}, Apache-2.0"
version = release = version_of("pluecker")

# ------------------------------------------------------------------------------------------------------------------ pages

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "references",  # docs/site/references.py
    "names_in_text",
]
root_doc = "docs/index"
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
PAGES = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "docs", "notebooks", "benchmarks"}
include_patterns = [
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "docs/**"),
    *("notebooks/*.ipynb", "notebooks/README.md", "benchmarks/results/**"),
]
# Whatever else lies in the folder is not searched: environments, caches, builds.
exclude_patterns = [path.name for path in TOP.iterdir() if path.name not in PAGES] + ["**/.*", "docs/site"]

nitpicky = True
nb_execution_mode = "off"  # the tests execute notebooks; here their outputs are shown as they were committed
nb_ipywidgets_js = {}
myst_heading_anchors = 4
myst_enable_extensions = ["amsmath", "dollarmath"]

# -------------------------------------------------------------------------------------------------------------- reference

autoclass_content = "class"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say of each argument more than its type does
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # a list, where several names may share an entry
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_preprocess_types = False
maximum_signature_line_length = 90
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"
default_role = "py:obj"

# ------------------------------------------------------------------------------------------------------------------- look

html_theme = "pydata_sphinx_theme"
html_title = "pluecker"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_extra_path = ["site/extra"]  # the site begins in docs/, and its first page says so
html_sidebars = {page: [] for page in ("README", "docs/index", "search", "genindex", "py-modindex")}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 9,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
