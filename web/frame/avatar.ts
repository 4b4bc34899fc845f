import { type Html, html } from './html.ts'

/** Degrees between two hues of avatars: closer ones look the same. */
const HUE_STEP_DEGREES = 24

/**
 * A picture made from a name: its initials on two hues that are always the same for it. Screen
 * readers skip it: the name stands beside it.
 */
export function avatar(name: string): Html {
  const hue = (hashOf(name) % (360 / HUE_STEP_DEGREES)) * HUE_STEP_DEGREES
  const turn = (hashOf(`${name}/`) % 90) - 45
  return html`<svg class="avatar" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" fill="hsl(${hue} 42% 40%)"/><rect x="-10" y="20" width="60" height="40" fill="hsl(${(hue + 40) % 360} 48% 33%)" transform="rotate(${turn} 20 20)"/><text x="20" y="26" text-anchor="middle">${initialsOf(name)}</text></svg>`
}

/** Initials of the first two words of a name, or its first letter; "?" where it has neither. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? '')
  return letters.length === 0 ? '?' : letters.join('').toUpperCase()
}

/** FNV-1a of 32 bits: short, and the same everywhere. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return hash
}
