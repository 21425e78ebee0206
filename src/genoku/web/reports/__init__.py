"""The five reports: what they did, what became of their claims, and making that anew."""
