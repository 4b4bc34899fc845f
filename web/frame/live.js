// Renews the parts of a page that change, as long as it is looked at: elements with `data-live` and an id.
const EVERY_MILLISECONDS = 5000

const parts = () => [...document.querySelectorAll('[data-live]')]

function renew(part, fresh) {
  // Nothing is taken away under a cursor or a form that is filled in.
  if (!fresh || part.contains(document.activeElement) || part.innerHTML === fresh.innerHTML) return
  for (const { id } of part.querySelectorAll('details[open][id]')) {
    const details = fresh.querySelector(`#${CSS.escape(id)}`)
    if (details) details.open = true
  }
  part.replaceWith(fresh)
}

setInterval(async () => {
  if (document.hidden || parts().length === 0) return
  try {
    const answer = await fetch(location.href)
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    for (const part of parts()) renew(part, page.getElementById(part.id))
  } catch {
    // The server is gone for a moment: what was shown last stays.
  }
}, EVERY_MILLISECONDS)
