"""``World``, a mechanism with constraints under one name: steps and motions, their contacts, pictures, files of worlds."""
