/* global React, EXPLORER */
// The panel that draws the query plan of the last operation, and the time of each fetch. The gateway sends a trace to callers who may
// read it (`atrium-trace`), and its estimated and actual cost (`graphql-cost`).
// biome-ignore lint/correctness/noUnusedVariables: page.js reads it.
const traces = (() => {
  const h = React.createElement
  const isForEveryone = EXPLORER.traces === 'everyone'
  /** What the panel shows; replaced as a whole. */
  let state = { isOn: isForEveryone, token: '', result: null }
  const listeners = new Set()
  const set = (change) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const subscribe = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  const headers = () => {
    if (!state.isOn || (!isForEveryone && state.token === '')) return {}
    return { 'atrium-trace': isForEveryone ? '1' : state.token, 'graphql-cost': 'report' }
  }

  /**
   * Keeps the trace of a result, and returns the result without it. Of an answer in parts, the first
   * one has the cost and the last one the trace.
   */
  function take(result) {
    if (Array.isArray(result)) return result.map(take)
    if (typeof result !== 'object' || result === null || !state.isOn) return result
    const { trace = null, ...extensions } = result.extensions ?? {}
    const isPart = result.incremental !== undefined || result.hasNext === false
    const cost = extensions.cost ?? (isPart ? (state.result?.cost ?? null) : null)
    set({ result: { trace, cost, isUnfinished: result.hasNext === true } })
    if (trace === null) return result
    const { extensions: _, ...others } = result
    return Object.keys(extensions).length > 0 ? { ...others, extensions } : others
  }

  /**
   * A result, or an iterator of them; each is shown to `see`. No generator: its `return` would wait
   * for the next event.
   */
  function takeAll(result, see) {
    const iterator = result?.[Symbol.asyncIterator]?.()
    if (!iterator) {
      see(result)
      return take(result)
    }
    const own = {
      next: async () => {
        const { done, value } = await iterator.next()
        if (!done) see(value)
        return { done, value: done ? value : take(value) }
      },
      return: async (value) => iterator.return?.(value) ?? { done: true, value },
      throw: async (error) => iterator.throw?.(error) ?? { done: true, value: undefined },
      [Symbol.asyncIterator]: () => own,
    }
    return own
  }

  const milliseconds = (value) => `${value >= 100 ? Math.round(value) : value.toFixed(value >= 10 ? 1 : 2)} ms`

  function Bar({ request, total }) {
    const [left, width] = [request.startMilliseconds, request.milliseconds].map((each) => (100 * each) / total)
    const entities =
      request.entities === undefined ? '' : `, ${request.entities} ${request.entities === 1 ? 'entity' : 'entities'}`
    const shared = request.fetches === undefined ? '' : `, one request for ${request.fetches} fetches`
    const text = `${milliseconds(request.milliseconds)} from ${milliseconds(request.startMilliseconds)}${entities}${shared}`
    return h(
      'div',
      { className: 'trace-request' },
      h(
        'span',
        { className: 'trace-track', 'aria-hidden': true },
        h('span', {
          className: `trace-bar trace-${request.status}`,
          style: { left: `${Math.min(left, 99)}%`, width: `${Math.max(1, Math.min(width, 100 - Math.min(left, 99)))}%` },
        }),
      ),
      h('span', { className: 'trace-time' }, request.status === 'ok' ? text : `${text}, ${request.status}`),
    )
  }

  function Fetch({ node, total }) {
    return h(
      'li',
      { className: 'trace-node trace-fetch' },
      h(
        'details',
        null,
        h(
          'summary',
          null,
          h('strong', null, node.subgraph),
          ' ',
          h('span', { className: 'trace-kind' }, node.isEntityFetch ? 'entities' : 'root fields'),
        ),
        h('pre', null, h('code', null, node.query)),
      ),
      node.requests.length === 0
        ? h('p', { className: 'trace-kind' }, 'not sent: left out, or from the entity cache')
        : node.requests.map((request, at) => h(Bar, { key: at, request, total })),
    )
  }

  /** Names of the nodes that only hold others. */
  const titleOf = (node) =>
    ({
      Sequence: 'one after the other',
      Parallel: 'at the same time',
      Flatten: `for ${node.path}`,
      Condition: `where $${node.variable} decides`,
      Defer: 'the first part, and what is deferred',
      Deferred: node.path === '' ? 'deferred' : `deferred at ${node.path}`,
      Event: 'the event',
      Truncated: 'further nodes are not shown',
    })[node.kind]

  function PlanNode({ node, total }) {
    if (node.kind === 'Fetch') return h(Fetch, { node, total })
    const inner = node.kind === 'Flatten' ? [node.node] : (node.nodes ?? [])
    return h(
      'li',
      { className: 'trace-node' },
      h('span', { className: 'trace-kind' }, titleOf(node)),
      inner.length > 0 &&
        h(
          'ul',
          null,
          inner.map((each, at) => h(PlanNode, { key: at, node: each, total })),
        ),
    )
  }

  function Cost({ cost }) {
    if (cost === null) return null
    const limit = cost.limit === null ? 'no limit' : `limit ${cost.limit}`
    const actual = cost.actual === undefined ? '' : `, ${cost.actual} actual`
    return h('p', null, `Cost: ${cost.requested} estimated${actual} (${limit})`)
  }

  function Result({ result }) {
    if (result === null) return h('p', null, 'Run an operation to see its plan and the time of each fetch.')
    const { trace, cost, isUnfinished } = result
    if (isUnfinished) return h('p', null, 'The trace comes with the last part of the answer.')
    if (trace === null) return h('p', null, `The answer had no trace${isForEveryone ? '.' : ': the token is another.'}`)
    return h(
      React.Fragment,
      null,
      h('p', null, `The gateway took ${milliseconds(trace.milliseconds)}.`),
      h(Cost, { cost }),
      trace.plan === null
        ? h('p', null, 'Nothing was fetched.')
        : h('ul', { className: 'trace-plan' }, h(PlanNode, { node: trace.plan, total: Math.max(trace.milliseconds, 0.001) })),
    )
  }

  function Panel() {
    const { isOn, token, result } = React.useSyncExternalStore(subscribe, () => state)
    return h(
      'section',
      { className: 'trace-panel', 'aria-label': 'Query trace' },
      h('h2', null, 'Query trace'),
      h(
        'label',
        null,
        h('input', { type: 'checkbox', checked: isOn, onChange: ({ target }) => set({ isOn: target.checked, result: null }) }),
        ' Trace operations',
      ),
      !isForEveryone &&
        h('input', {
          type: 'password',
          autoComplete: 'off',
          'aria-label': 'Token of traces',
          placeholder: 'token of traces',
          value: token,
          onChange: ({ target }) => set({ token: target.value, isOn: target.value !== '' }),
        }),
      isOn && h('div', { role: 'status' }, h(Result, { result })),
    )
  }

  return {
    headers,
    takeAll,
    /** Panels; `icon` is the path of its drawing. */
    plugins: EXPLORER.traces === null ? [] : [{ title: 'Query trace', icon: 'M4 6h8M8 12h8M14 18h6', content: Panel }],
  }
})()
