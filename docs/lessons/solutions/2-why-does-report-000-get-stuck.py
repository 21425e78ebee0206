changes = ["mutation.unit=any"]
