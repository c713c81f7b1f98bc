"""Problems from bodies and what touches: tables, their assembly, soft contact, restitution."""
