# No result at all.
true
