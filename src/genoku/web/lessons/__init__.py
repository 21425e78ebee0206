"""The guided tour: chapters whose pictures the engine's own operators make, from a seed."""
