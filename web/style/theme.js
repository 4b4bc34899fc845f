// The theme that a visitor chose, kept in this browser. It runs before the page is drawn, so that nothing flashes.
{
  const KEY = 'theme'
  const THEMES = ['light', 'dark']
  const apply = (theme) => {
    if (THEMES.includes(theme)) document.documentElement.dataset.theme = theme
    else delete document.documentElement.dataset.theme
  }
  const stored = () => {
    try {
      return localStorage.getItem(KEY)
    } catch {
      // A browser that keeps nothing: the system decides.
      return null
    }
  }
  apply(stored())
  document.addEventListener('DOMContentLoaded', () => {
    const place = document.querySelector('[data-theme-switch]')
    const choice = document.getElementById('theme')
    place.hidden = false
    choice.value = THEMES.includes(stored()) ? stored() : 'system'
    choice.addEventListener('change', () => {
      apply(choice.value)
      try {
        localStorage.setItem(KEY, choice.value)
      } catch {
        // It holds for this page then.
      }
    })
  })
}
