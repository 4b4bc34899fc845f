import type { Variable } from '../../platform/config/config.ts'
import { variables } from './config.ts'
import { pathOf } from './config-file.ts'
import { flagOf } from './flags.ts'

type Branch = Map<string, Branch | Leaf>
type Leaf = { readonly name: string; readonly variable: Variable }

/**
 * Text of a configuration file with all defaults, for `--print-defaults`. Settings without default
 * are commented out. Running with this file equals running without one.
 */
export function printDefaults(): string {
  const root: Branch = new Map()
  for (const [name, variable] of Object.entries<Variable>(variables)) {
    const path = pathOf(name)
    const branch = path.slice(0, -1).reduce<Branch>((outer, key) => branchIn(outer, key), root)
    branch.set(path.at(-1) ?? '', { name, variable })
  }
  return `import { defineConfig } from "@atrium/gateway/config"

// Each setting is an environment variable as well, and a flag; both win over this file.
export default defineConfig({
${linesOf(root, '  ').join('\n')}
})`
}

function branchIn(outer: Branch, key: string): Branch {
  const existing = outer.get(key)
  if (existing instanceof Map) return existing
  const created: Branch = new Map()
  outer.set(key, created)
  return created
}

function linesOf(branch: Branch, indent: string): readonly string[] {
  return [...branch].flatMap(([key, entry]) => {
    if (!(entry instanceof Map)) return leafLines(key, entry, indent)
    const inner = linesOf(entry, `${indent}  `)
    return INCOMPLETE.has(key)
      ? [`${indent}// ${key}: {`, ...inner.map(commented), `${indent}// },`]
      : [`${indent}${key}: {`, ...inner, `${indent}},`]
  })
}

/** Options with a required value that has no default, so they are commented out. */
const INCOMPLETE = new Set(['jwt'])

const commented = (line: string): string => (line.trimStart().startsWith('//') ? line : line.replace(/^ */, '$&// '))

function leafLines(key: string, { name, variable }: Leaf, indent: string): readonly string[] {
  const { default: fallback, unit, secret, meaning } = variable
  const names = secret ? name : `${name}, --${flagOf(name)}`
  const about = `${indent}// ${meaning} ${unit === null ? '' : `In ${unit}. `}(${names})`
  return [about, fallback === null ? `${indent}// ${key}: …,` : `${indent}${key}: ${literalOf(variable, fallback)},`]
}

function literalOf({ read }: Variable, fallback: string): string {
  const value = read.parse(fallback)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `'${fallback}'`
}
