// Orders of the demo shop as they arrive, above the last one that the page came with. A browser that is refused, or whose connection
// breaks, tries again a few times, and then leaves what is shown.
const box = document.querySelector('[data-orders]')
const MAX_EVENTS = 5
const PAUSES_MS = [2000, 10_000, 30_000, 60_000]
/** A refusal ends at once: what has lasted this long works, and the next failure is the first again. */
const WORKS_AFTER_MS = 10_000

if (box) {
  const [list, live] = [box.querySelector('code'), box.querySelector('[data-live]')]
  let failures = 0

  const show = ({ data }) => {
    // A refusal has no order.
    if (!JSON.parse(data).data?.sampleOrderUpdated) return
    // Text, never markup: it is as the server sent it.
    const line = document.createElement('span')
    line.dataset.event = ''
    line.textContent = `event: next\ndata: ${data}\n\n`
    list.prepend(line)
    while (list.children.length > MAX_EVENTS) list.lastElementChild.remove()
    live.textContent = 'An order arrived'
    failures = 0
  }

  let events = null
  let opened = Number.POSITIVE_INFINITY
  const disconnect = () => {
    events?.close()
    events = null
    live.textContent = ''
  }

  function connect() {
    // Browsers have few connections to one server: a page that nobody sees takes none.
    if (document.hidden || events) return
    events = new EventSource(box.dataset.orders)
    opened = Number.POSITIVE_INFINITY
    events.addEventListener('open', () => {
      opened = performance.now()
      live.textContent = 'Live'
    })
    events.addEventListener('next', show)
    // A refusal is an event with errors, after which the stream completes.
    events.addEventListener('complete', retry)
    events.addEventListener('error', retry)
  }

  function retry() {
    disconnect()
    if (performance.now() - opened >= WORKS_AFTER_MS) failures = 0
    const pause = PAUSES_MS[failures++]
    if (pause !== undefined) setTimeout(connect, pause)
  }
  document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : connect()))
  connect()
}
