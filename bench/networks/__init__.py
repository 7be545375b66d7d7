"""The networks between the measured servers, made or shaped."""
