#!/bin/sh
# Searches the directory over REST and over GraphQL, with curl alone.
#   sh examples/curl/search.sh [words] [address]
set -eu

words=${1:-postgres}
atrium=${2:-${ATRIUM_URL:-http://localhost:4000}}

if ! curl --silent --show-error --fail --max-time 5 --output /dev/null "$atrium/health"; then
  echo "Cannot reach Atrium at $atrium. Start it with \"npm start\", or pass its address as the second argument or in ATRIUM_URL." >&2
  exit 1
fi

# --fail-with-body: exit code 22 for a 4xx or 5xx, and the body still says why.
ask() {
  curl --silent --show-error --fail-with-body --max-time 30 "$@"
  echo
}

echo '# REST: best match first'
ask --get "$atrium/api/search" --data-urlencode "q=$words" --data 'limit=3'

echo '# GraphQL: the same search, with the fields that you name'
# Variables travel as JSON: quotes and backslashes in the words must be escaped.
escaped=$(printf '%s' "$words" | sed 's/["\\]/\\&/g')
ask "$atrium/graphql" --header 'content-type: application/json' --data @- <<JSON
{
  "query": "query Search(\$words: String!) { search(query: \$words, first: 3) { totalCount edges { node { kind name url } } } }",
  "variables": { "words": "$escaped" }
}
JSON

echo '# GraphQL over GET: caches can keep the answer; the header says that no web page of another site sent it'
ask --get "$atrium/graphql" --header 'apollo-require-preflight: 1' --data-urlencode 'query={ categories { mcp { name count } } }'
