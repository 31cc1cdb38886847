import PropertyLists
print("x")
