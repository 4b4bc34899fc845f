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
  const refresh = async () => {
    // Events that arrive meanwhile are in the page after this one.
    isStale = true
    if (isFetching) return
    isFetching = true
    try {
      while (isStale) {
        isStale = false
        await show(await fetch(location.pathname))
      }
    } catch {
      // The next event tries again.
    } finally {
      isFetching = false
    }
  }

  const events = new EventSource(room.dataset.room)
  events.addEventListener('open', () => {
    live.textContent = 'Live'
    refresh()
  })
  events.addEventListener('error', () => {
    live.textContent = 'Connecting again…'
  })
  events.addEventListener('next', refresh)
  // The subscription has ended: the session, or the membership.
  events.addEventListener('complete', () => {
    events.close()
    live.textContent = 'No longer live: reload the page.'
  })

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
