# The kernel dies.
ok 'before'
echo c > /proc/sysrq-trigger
