"""Simulations from their arguments to a trajectory; smooth motions; accuracy.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``accuracy``       how a result depends on the step
``simulate``       one call simulates a mechanism
``follow_motion``  from a prepared motion to a trajectory
``failures``       messages of what could not be completed
``preparation``    all but the states at the beginning: checked, packed, described once
``steps``          stretch by stretch of the compiled loop
``dynamics``       what is followed besides the model
``starts``         checks of the states at the beginning
``recording``      samples in memory, or in files that grow
``integrators``    the integrators, by name
``smooth``         motion under given forces by SciPy's DOP853
``smooth_motion``  a smooth motion in closed form
=================  =====================================================================================================
"""
