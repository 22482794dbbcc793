"""The contract with clients: methods, parameters, results, errors."""
