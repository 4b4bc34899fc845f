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

/**
 * Running an operation writes to both editors and renders every panel again: it begins when the click is painted. The focus
 * stays where it is, because an editor that loses it is drawn again.
 */
const executeButtonOf = ({ target }) => target.closest?.('.graphiql-execute-button')
document.addEventListener('mousedown', (event) => executeButtonOf(event) && event.preventDefault(), true)
document.addEventListener(
  'click',
  (event) => {
    const button = executeButtonOf(event)
    // Of several operations a menu opens. The click of a script is the one below.
    if (!button || !event.isTrusted || button.hasAttribute('aria-haspopup')) return
    event.stopPropagation()
    button.classList.add('is-starting')
    tools.afterPaint(() => {
      button.classList.remove('is-starting')
      button.click()
    })
  },
  true,
)

document.addEventListener(
  'keydown',
  (event) => {
    const { target, key, ctrlKey, metaKey, shiftKey, altKey, isTrusted } = event
    if (key !== 'Enter' || !(ctrlKey || metaKey) || shiftKey || altKey || !isTrusted || !target.closest?.('.CodeMirror')) return
    event.preventDefault()
    event.stopPropagation()
    // The editor knows keys by their number.
    const again = { key, keyCode: 13, ctrlKey, metaKey, bubbles: true, cancelable: true }
    tools.afterPaint(() => target.dispatchEvent(new KeyboardEvent('keydown', again)))
  },
  true,
)

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

const h = React.createElement
/** The icon of a panel, drawn by a path in a square of 24. */
const iconOf = (d) => () =>
  h(
    'svg',
    {
      viewBox: '0 0 24 24',
      width: 24,
      height: 24,
      fill: 'none',
      stroke: 'currentColor',
      strokeWidth: 1.5,
      'aria-hidden': true,
    },
    h('path', { d }),
  )

/** The panel that builds operations; its script is loaded when it is opened. */
const Builder = React.lazy(() =>
  // Without it, the rest of the page goes on.
  import(document.body.dataset.builder).catch(() => ({
    default: () => h('p', { role: 'alert' }, 'It could not be loaded: reload the page.'),
  })),
)
const builder = {
  title: 'Operation builder',
  icon: iconOf('M4 5h4v4H4zM12 7h8M6 9v9h6M12 15h8v6h-8z'),
  content: () => h(React.Suspense, { fallback: h('p', { role: 'status' }, 'Loading…') }, h(Builder)),
}

const plugins = [builder, ...traces.plugins.map((panel) => ({ ...panel, icon: iconOf(panel.icon) }))]

/** The gallery has all of them. */
const MAX_FIRST_TABS = 2
ReactDOM.createRoot(document.getElementById('explorer')).render(
  h(
    GraphiQL,
    {
      fetcher,
      defaultTabs: EXPLORER.examples.slice(0, MAX_FIRST_TABS),
      shouldPersistHeaders: false,
      plugins,
    },
    tools.toolbar,
  ),
)
