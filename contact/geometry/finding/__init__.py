"""Contacts of the shapes of a scene in compiled code: from placements to the sorted table.

One call of :func:`~pluecker.contact.geometry.finding.find.find_contacts` goes all the way:

===================  ===================================================================================================
file                 what it does
===================  ===================================================================================================
``scene``            colliders of a :class:`~pluecker.contact.geometry.Collision` in two flat arrays, packed once
``broad_phase``      boxes around shapes, a tree of them, those that overlap
``narrow_phase``     a pair: whether it may touch, its kernel, the contacts that are near enough
``calls``            kernels of pairs as machine code that is called by its address, on blocks, ``blocks``
``table``            the order of contacts, and the surfaces of both
``find``             these one after the other; how large its arrays are
``finder``           the door for Python: it makes room, compiles kernels that are missing, and asks coal
===================  ===================================================================================================
"""
