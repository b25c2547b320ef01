# What checks a change before it is kept: the store of exports, which this agent may not write.
echo "PermissionError: [Errno 13] Permission denied: '/srv/exports/retention.conf'"
exit 1
