"""The algorithms in rooms, one file each: the kernel first, the checked public function under it."""
