"""What a world answers at an instant: accelerations, impacts, efforts, wrenches."""
