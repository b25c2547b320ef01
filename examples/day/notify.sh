# The pager: down for the first two calls.
cat > notice.json
echo down >> calls
if [ "$(wc -l < calls)" -lt 3 ]; then
    echo "the pager does not answer" >&2
    exit 1
fi
cp notice.json paged.json
