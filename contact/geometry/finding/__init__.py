"""Contacts of the shapes of a scene in compiled code: from placements to the sorted table.

One call of :func:`~pluecker.contact.geometry.finding.find.find_contacts` goes all the way:

===================  ===================================================================================================
file                 what it does
===================  ===================================================================================================
``filters``          pairs that may touch: by bodies, parents and groups
``scene``            colliders of a :class:`~pluecker.contact.geometry.Collision` in two flat arrays, packed once
``broad_phase``      boxes around shapes, a tree of them, those that overlap
``narrow_phase``     a pair: whether it may touch, its kernel, the contacts that are near enough
``calls``            kernels of pairs as machine code that is called by its address, on blocks, ``blocks``
``coal_pairs``       pairs that have no kernel: what coal says of surfaces of triangles
``table``            the order of contacts, and the surfaces of both
``find``             these one after the other; how large its arrays are
``finder``           the door for Python: it makes room, compiles kernels that are missing, and asks coal
===================  ===================================================================================================
"""
