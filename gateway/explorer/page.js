/* global React, ReactDOM, GraphiQL, EXPLORER, credentials, tools, traces */
// What this page was opened on is where the graph is; nothing else is ever asked.
const { pathname, host, protocol } = window.location
const ask = GraphiQL.createFetcher({
  url: pathname,
  // Connects when the first subscription runs; credentials go along as connection_init.
  subscriptionUrl: `${protocol === 'https:' ? 'wss' : 'ws'}://${host}${pathname}`,
})
// What stands in the headers pane counts more than what is chosen above.
const fetcher = async (operation, options) => {
  // GraphiQL's own query for the schema is nothing that anybody ran.
  const isOfPage = operation.operationName === 'IntrospectionQuery'
  const headers = { ...credentials(), ...(isOfPage ? {} : traces.headers()), ...options?.headers }
  const began = performance.now()
  const result = await ask(operation, { ...options, headers })
  if (isOfPage) return result
  document.body.classList.add('has-run')
  let count = 0
  return traces.takeAll(result, (value) => {
    count++
    took.textContent = count === 1 ? summaryOf(value, performance.now() - began) : `${count} results`
  })
}

const took = document.getElementById('took')
/** How long an answer took, its size as JSON, and its errors. */
function summaryOf(result, milliseconds) {
  const kilobytes = new TextEncoder().encode(JSON.stringify(result) ?? '').length / 1000
  const errors = result?.errors?.length ?? 0
  const parts = [`${Math.round(milliseconds)} ms`, `${kilobytes.toFixed(kilobytes < 10 ? 1 : 0)} kB`]
  return [...parts, ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : [])].join(' · ')
}

const home = document.getElementById('home')
home.hidden = EXPLORER.home === null
if (EXPLORER.home !== null) home.href = EXPLORER.home

/** The gallery has all of them. */
const MAX_FIRST_TABS = 2
ReactDOM.createRoot(document.getElementById('explorer')).render(
  React.createElement(
    GraphiQL,
    {
      fetcher,
      defaultTabs: EXPLORER.examples.slice(0, MAX_FIRST_TABS),
      shouldPersistHeaders: false,
      plugins: traces.plugins,
    },
    tools,
  ),
)
