"""Steps of worlds whose contacts are found: one compiled function from the state before a step to the state after it.

=================  =====================================================================================================
file               what it does
=================  =====================================================================================================
``motion``         one motion of a world with shapes: its plan, its room, what touched
``outside``        Python's part in a step
``step``           the step, from its state before to that after it
``plan``           a world with shapes as a step reads it, and the room that steps need
``smooth``         beginning and end of a step, around its contacts
``solving``        impulses, island by island
``working_set``    rows that take part, and their islands
``warm_start``     impulses of the step before, by the names of contacts
``problem``        contacts and rows as one problem of friction on trees
``shapes``         where shapes are, how far they come, which touch
``sharing``        the call of Python from a step
``layout``         what is where in the plan and in the workspace
=================  =====================================================================================================
"""
