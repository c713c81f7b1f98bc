"""Parts that topics share: timing, reports, memory, mechanisms and peers."""
