"""Surfaces of triangles, whose distances and triangles nearby coal finds (extra ``collision``).

=====================  =================================================================================================
file                   what it does
=====================  =================================================================================================
``coal_nearest``       shapes as coal has them, and the signed distance
``surface_contacts``   contacts with faces of triangles
``ridge_contacts``     contacts along edges of triangles
=====================  =================================================================================================
"""
