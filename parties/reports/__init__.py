"""What people see: results and status, on a terminal and as documents."""
