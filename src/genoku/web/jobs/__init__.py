"""What clerks do: plain functions of plain data, run in a process of their own."""
