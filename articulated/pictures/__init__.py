"""Pictures of mechanisms and of their motion: curves, drawings, animations, and a viewer in the browser.

=============  ====================================================================================================
file           what is in it
=============  ====================================================================================================
viewer         :func:`view`: a mechanism or a motion in the browser, alive or as one HTML file (extra ``view``)
scenes         what the viewer shows: the nodes of its scene, and where they are at each moment
animation      :func:`animate`: a motion as an HTML player, a GIF or an MP4 (extra ``plot``)
mechanism      :func:`plot_mechanism`: a mechanism in one configuration, drawn by matplotlib
drawing        the drawing of it, on axes of matplotlib
curves         :func:`plot_trajectory`, :func:`plot_energy`: quantities over time
figures        figures of matplotlib, and writing them
overlays       :class:`Points`, :class:`Arrows`, :class:`Cones`: what others want to be shown with a mechanism
contents       what is asked for, and what there is of it
parts          what there is to be drawn of a mechanism: links, joint axes, inertias, frames
visuals        the shapes that a URDF file gives its links; meshes through trimesh (extra ``mesh``)
triangles      surfaces of boxes, balls, cylinders and cones
=============  ====================================================================================================

Nothing of matplotlib, trimesh or viser is imported before it is needed.
"""
