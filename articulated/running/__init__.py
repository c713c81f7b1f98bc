"""From a kernel to a public function: arguments checked, one state or a batch in lanes, on threads."""
