// Messages as they arrive: the page is fetched again at each event, and its list put in. Sending does not reload.
const room = document.querySelector('[data-room]')
if (room) {
  const live = room.querySelector('[data-live]')
  const form = room.querySelector('form')
  let isStale = false

  const show = async (response) => {
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const list = page.getElementById('messages')
    if (list) document.getElementById('messages').replaceChildren(...list.childNodes)
    return page
  }
  let isFetching = false
  /** Shows the newest messages; whether they are still for this reader, as far as somebody answers. */
  const refresh = async () => {
    // Events that arrive meanwhile are in the page after this one.
    isStale = true
    if (isFetching) return true
    isFetching = true
    try {
      let status = 200
      while (isStale) {
        isStale = false
        const response = await fetch(location.pathname)
        status = response.status
        await show(response)
      }
      return status !== 401 && status !== 404
    } catch {
      // The next event or attempt tries again.
      return true
    } finally {
      isFetching = false
    }
  }

  // Pauses before the next attempts, 3 minutes together. By itself, a browser tries for ever where
  // nothing answers, and never again where the answer is an error.
  const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000, 60_000]
  /** A connection that held for as long was good: the pauses begin again. */
  const STABLE_MS = 10_000
  let failures = 0

  const connect = () => {
    live.textContent = 'Connecting…'
    let openedAt = null
    const events = new EventSource(room.dataset.room)
    events.addEventListener('open', () => {
      openedAt = Date.now()
      live.textContent = 'Live'
      void refresh()
    })
    events.addEventListener('error', async () => {
      events.close()
      if (openedAt !== null && Date.now() - openedAt > STABLE_MS) failures = 0
      live.textContent = 'Connecting again…'
      if (!(await refresh())) return end()
      const pause = PAUSES_MS[failures++]
      if (pause === undefined) offerAnother()
      else setTimeout(connect, pause)
    })
    events.addEventListener('next', refresh)
    // The subscription has ended: the session, or the membership.
    events.addEventListener('complete', () => {
      events.close()
      end()
    })
  }

  const end = () => {
    live.textContent = 'No longer live: reload the page.'
  }

  const offerAnother = () => {
    const again = document.createElement('button')
    again.type = 'button'
    again.className = 'plain'
    again.textContent = 'Connect again'
    again.addEventListener('click', () => {
      failures = 0
      connect()
    })
    live.replaceChildren('Not live: new messages do not arrive by themselves. ', again)
  }

  connect()

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const body = new URLSearchParams(new FormData(form))
    try {
      const response = await fetch(form.action, { method: 'POST', body })
      if (!response.ok) throw new Error(String(response.status))
      form.elements.text.value = ''
      await show(response)
      form.elements.text.focus()
    } catch {
      // The page says what is wrong.
      form.submit()
    }
  })
}
