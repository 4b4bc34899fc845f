// Shows recorded events one after the other, as a subscription does when they happen.
const BETWEEN_EVENTS_MILLISECONDS = 900
const button = document.querySelector('[data-replay]')
const events = [...document.querySelectorAll('[data-event]')]
let waiting

function showFrom(index) {
  const event = events[index]
  if (!event) return
  event.classList.remove('is-pending')
  waiting = setTimeout(showFrom, BETWEEN_EVENTS_MILLISECONDS, index + 1)
}

if (button) {
  button.hidden = false
  button.addEventListener('click', () => {
    clearTimeout(waiting)
    // Hidden, not removed: the box keeps its height.
    for (const event of events) event.classList.add('is-pending')
    waiting = setTimeout(showFrom, BETWEEN_EVENTS_MILLISECONDS, 0)
  })
}
