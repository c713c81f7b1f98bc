"""Records of constraints, which users make: each says of which functions and rows it consists.

=================  =====================================================================================================
file               what its records hold
=================  =====================================================================================================
``joints``         two frames: ball, hinge, slider and so on
``gears``          what turns together, with tooth forces
``distance``       points at a distance: rod, rope
``coupling``       a sum of coordinates, angles and ways
``limits``         ranges, dry friction
``motors``         what drives
``point_contact``  a point or a ball that may touch a plane
``user``           a function of the user's
=================  =====================================================================================================
"""
