// Buttons that copy the text of another element. They are hidden where there is no script.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  const label = button.textContent
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.textContent = 'Copied'
    } catch {
      // Pages without TLS have no clipboard: selected text is one key away from it.
      getSelection().selectAllChildren(source)
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
