"""Steps of worlds whose contacts are found anew in each of them: as many as there are, as one sparse friction problem."""
