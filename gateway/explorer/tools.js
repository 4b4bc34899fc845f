/* global React, GraphiQL, EXPLORER, credentials */
// Examples as a gallery, a link to what is written, and its cost while one types.
// biome-ignore lint/correctness/noUnusedVariables: page.js draws it.
const tools = (() => {
  const h = React.createElement
  const SHARED = '#operation='
  /** Longer addresses are cut by programs that people send them with. */
  const MAX_LINK_CHARACTERS = 8000
  const COST_DELAY_MILLISECONDS = 600
  const [cost, share] = [document.getElementById('cost'), document.getElementById('share')]
  const gallery = document.getElementById('examples')
  /** GraphiQL's editors and tabs, once they are there. */
  let editor = null

  /** Runs something when the next frame is painted. */
  const afterPaint = (run) => requestAnimationFrame(() => setTimeout(run))

  /** What the next new tab shows; null: what GraphiQL puts there. */
  let pending = null

  function openTab(example) {
    pending = example
    editor.addTab()
  }

  /** Bytes of the operation, as addresses may hold them. */
  const encode = (shared) =>
    btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(shared))))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')

  function decode(text) {
    try {
      const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
      const { query, variables } = JSON.parse(new TextDecoder().decode(bytes))
      return typeof query === 'string' ? { query, variables: typeof variables === 'string' ? variables : '' } : null
    } catch {
      // Not a link of ours: nothing is opened.
      return null
    }
  }

  /** Opens what the address holds. It is shown, and never run by itself. */
  function openShared() {
    if (!location.hash.startsWith(SHARED)) return
    const shared = decode(location.hash.slice(SHARED.length))
    history.replaceState(null, '', location.pathname)
    if (shared) openTab(shared)
  }

  share.addEventListener('click', async () => {
    const shared = { query: editor.queryEditor.getValue(), variables: editor.variableEditor?.getValue() ?? '' }
    const link = `${location.origin}${location.pathname}${SHARED}${encode(shared)}`
    const label = share.textContent
    try {
      if (link.length > MAX_LINK_CHARACTERS) share.textContent = 'Too long for a link'
      else {
        await navigator.clipboard.writeText(link)
        share.textContent = 'Copied'
      }
    } catch {
      // Pages without TLS have no clipboard: the address holds the link then.
      history.replaceState(null, '', link)
      share.textContent = 'It is in the address'
    }
    setTimeout(() => {
      share.textContent = label
    }, 2000)
  })

  /**
   * Shows the gallery, and makes it modal when it is painted: the page behind becomes inert then, which styles all of its elements
   * again.
   */
  function openGallery() {
    if (gallery.open || gallery.matches(':popover-open')) return
    const focused = document.activeElement
    gallery.showPopover()
    afterPaint(() => {
      // An example was chosen by now.
      if (!gallery.matches(':popover-open')) return
      gallery.hidePopover()
      // The modal gallery returns the focus to what has it now.
      focused?.focus({ preventScroll: true })
      gallery.showModal()
    })
  }

  function closeGallery() {
    if (gallery.open) gallery.close()
    else gallery.hidePopover()
  }

  function drawGallery() {
    const list = gallery.querySelector('ul')
    for (const example of EXPLORER.examples) {
      const [, words = ''] = /^((?:#.*\n)*)/.exec(example.query)
      const [, kind = 'query', name = ''] = /^(query|mutation|subscription)\s+(\w+)/m.exec(example.query) ?? []
      const button = document.createElement('button')
      button.type = 'button'
      const parts = [
        ['strong', name.replace(/^Example/, '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ') || 'Operation'],
        ['span', kind],
        ['small', words.replaceAll(/^# ?/gm, '').replaceAll('\n', ' ').trim()],
      ].map(([tag, text]) => Object.assign(document.createElement(tag), { textContent: text }))
      button.append(...parts)
      button.addEventListener('click', () => {
        closeGallery()
        openTab(example)
      })
      const row = document.createElement('li')
      row.append(button)
      list.append(row)
    }
    const open = document.getElementById('open-examples')
    open.hidden = EXPLORER.examples.length < 2
    open.addEventListener('click', openGallery)
  }

  /**
   * Asks what an operation costs, which does not run it. The body says so, because a proxy may leave
   * a header out, and the operation would run then.
   */
  async function estimate({ query, variables, operationName }, signal) {
    try {
      const answer = await fetch(location.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credentials() },
        body: JSON.stringify({
          query,
          variables: variables?.trim() ? JSON.parse(variables) : {},
          operationName: operationName ?? undefined,
          extensions: { cost: 'validate' },
        }),
        signal,
      })
      const { requested, limit } = (await answer.json()).extensions?.cost ?? {}
      cost.textContent = requested === undefined ? '' : `Cost ${requested}${limit === null ? '' : ` of ${limit}`}`
    } catch {
      // An operation that is not finished yet, or a later one that is on its way.
      cost.textContent = ''
    }
  }

  /**
   * The first click into an editor compiles what answers clicks, which takes longer than all the rest of it. A second editor that
   * nobody sees, and that cannot have the focus, is clicked into while nothing else happens.
   */
  function warmUp(CodeMirror) {
    const place = document.createElement('div')
    place.className = 'warm-up'
    place.setAttribute('aria-hidden', 'true')
    document.body.append(place)
    const { mode, extraKeys } = editor.queryEditor.options
    const options = {
      mode,
      extraKeys,
      value: '{ a }',
      matchBrackets: true,
      autoCloseBrackets: true,
      lineNumbers: true,
      foldGutter: true,
    }
    const scratch = CodeMirror(place, options)
    const { left, top } = place.getBoundingClientRect()
    const at = { clientX: left + 40, clientY: top + 8, button: 0, bubbles: false, cancelable: true }
    scratch.display.lineDiv.dispatchEvent(new MouseEvent('mousedown', { ...at, bubbles: true }))
    document.dispatchEvent(new MouseEvent('mouseup', at))
    CodeMirror.signal(scratch, 'focus', scratch)
    scratch.replaceSelection('b')
    CodeMirror.signal(scratch, 'blur', scratch)
    place.remove()
  }

  /** Draws nothing: it is where GraphiQL tells of its editors. */
  function Follow() {
    editor = GraphiQL.React.useEditorContext({ nonNull: true })
    const { query, variables, operationName } = editor.tabs[editor.activeTabIndex] ?? {}
    const isReady = Boolean(editor.queryEditor)
    React.useEffect(() => {
      if (!isReady) return
      share.hidden = false
      openShared()
      globalThis.requestIdleCallback?.(() => warmUp(editor.queryEditor.constructor))
      addEventListener('hashchange', openShared)
    }, [isReady])
    React.useEffect(() => {
      if (pending === null) return
      editor.queryEditor.setValue(pending.query)
      editor.variableEditor?.setValue(pending.variables ?? '')
      pending = null
    }, [editor.tabs.length])
    React.useEffect(() => {
      const changed = new AbortController()
      const waiting = query
        ? setTimeout(estimate, COST_DELAY_MILLISECONDS, { query, variables, operationName }, changed.signal)
        : undefined
      if (!query) cost.textContent = ''
      return () => {
        clearTimeout(waiting)
        changed.abort()
      }
    }, [query, variables, operationName])
    return null
  }

  drawGallery()
  const toolbar = ({ prettify, copy, merge }) => h(React.Fragment, null, prettify, merge, copy, h(Follow))
  return { afterPaint, toolbar: h(GraphiQL.Toolbar, null, toolbar) }
})()
