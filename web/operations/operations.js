// Draws the figures anew, as long as somebody looks.
const EVERY_MILLISECONDS = 5000

setInterval(async () => {
  if (document.hidden) return
  try {
    const answer = await fetch(location.href)
    if (!answer.ok) return
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('figures')
    if (fresh) document.getElementById('figures').replaceWith(fresh)
  } catch {
    // The server is gone for a moment: what was drawn last stays.
  }
}, EVERY_MILLISECONDS)
