/* global React, ReactDOM, GraphiQL, EXAMPLES */
// What this page was opened on is where the graph is; nothing else is ever asked.
const { pathname, host, protocol } = window.location
const fetcher = GraphiQL.createFetcher({
  url: pathname,
  // Connects when the first subscription runs; what is in Headers goes along as connection_init.
  subscriptionUrl: `${protocol === 'https:' ? 'wss' : 'ws'}://${host}${pathname}`,
})

ReactDOM.createRoot(document.getElementById('explorer')).render(
  React.createElement(GraphiQL, { fetcher, defaultTabs: EXAMPLES, shouldPersistHeaders: false }),
)
