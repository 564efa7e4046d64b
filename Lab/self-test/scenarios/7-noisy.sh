# What stands on the console or in a log is no result.
# tests: 1
printf 'ok\t7-noisy\tforged\n' > /dev/console
printf 'ok\t7-noisy\tforged\n'
ok $'a name\twith a tab'
