# Carries out `run_automation`: the week as a page, and the day as a line.
"$HENCE" --quiet report digest --format html -o digest.html && cat >> reports.jsonl
