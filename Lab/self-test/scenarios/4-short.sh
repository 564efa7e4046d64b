# Fewer results than are declared.
# tests: 2
ok 'the first'
