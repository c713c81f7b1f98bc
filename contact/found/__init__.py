"""Steps of worlds whose contacts are found: one compiled function from the state before a step to the state after it."""
