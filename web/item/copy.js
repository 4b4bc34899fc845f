// Buttons that copy the text of another element. They are hidden where there is no script.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  const words = button.querySelector('span') ?? button
  const label = words.textContent
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    try {
      await navigator.clipboard.writeText(source.textContent)
      words.textContent = 'Copied'
    } catch {
      // Pages without TLS have no clipboard: selected text is one key away from it.
      getSelection().selectAllChildren(source)
      words.textContent = 'Selected'
    }
    setTimeout(() => {
      words.textContent = label
    }, 2000)
  })
}
