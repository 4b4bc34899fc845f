/* global React, ReactDOM, GraphiQL, EXAMPLES */
// What this page was opened on is where the graph is; nothing else is ever asked.
const fetcher = GraphiQL.createFetcher({ url: window.location.pathname })

ReactDOM.createRoot(document.getElementById('explorer')).render(
  React.createElement(GraphiQL, { fetcher, defaultTabs: EXAMPLES, shouldPersistHeaders: false }),
)
