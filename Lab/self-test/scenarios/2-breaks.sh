# A command that nobody checks fails: the scenario ends there and has failed.
ok 'before'
ls /does/not/exist
ok 'after'
