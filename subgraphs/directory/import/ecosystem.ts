import type { Ecosystem } from '../item/item.ts'

/**
 * The folder, inside a repository or a plugin, in which each ecosystem keeps its marketplace and
 * manifest.
 */
const FOLDERS: ReadonlyMap<string, Ecosystem> = new Map(
  Object.entries<Ecosystem>({
    '.claude-plugin': 'claude-code',
    '.agents/plugins': 'codex',
    '.codex-plugin': 'codex',
    '.cursor-plugin': 'cursor',
    '.github/plugin': 'copilot',
    '.kimi-plugin': 'kimi',
    '.grok-plugin': 'grok',
  }),
)

/** Ecosystem and folder of a marketplace or manifest: `base` is empty for the root. */
export type EcosystemPath = { readonly base: string; readonly ecosystem: Ecosystem } | { readonly unknown: string }

/**
 * Reads `base/.claude-plugin/marketplace.json` and its like. A file outside such a folder is of the
 * ecosystem that introduced the format.
 */
export function parseEcosystemPath(path: string): EcosystemPath {
  const segments = path.split('/').slice(0, -1)
  for (const length of [1, 2]) {
    const ecosystem = FOLDERS.get(segments.slice(-length).join('/'))
    if (ecosystem) return { base: segments.slice(0, -length).join('/'), ecosystem }
  }
  const last = segments.at(-1) ?? ''
  return /^\..+-plugins?$/.test(last) ? { unknown: last } : { base: segments.join('/'), ecosystem: 'claude-code' }
}
