import { firstOf } from '../../toolkit/first-of.ts'
import type { Item, McpServer } from '../item/item.ts'
import { pypiName } from '../item/package-name.ts'

/** A name of an item that is nearly a well-known one. */
export type LookAlike = {
  readonly what: 'OWNER' | 'PACKAGE'
  readonly name: string
  readonly resembles: string
  /** Of the well-known server. */
  readonly key: string
}

/** Stars from which names are well known, and the share of them below which others are not. */
const MIN_STARS = 500
const MAX_SHARE_OF_STARS = 0.1
/** Well-known servers whose names are compared: those with most stars. */
const MAX_WELL_KNOWN = 1_000
/** Names that are shorter, without the words that most have, are one change from each other by chance. */
const MIN_NAME_LENGTH = 6

type KnownName = { readonly name: string; readonly server: McpServer; readonly what: LookAlike['what'] }

/** Well-known names by each form that is one letter short of them. */
export type WellKnownNames = { readonly names: ReadonlySet<string>; readonly byForm: ReadonlyMap<string, readonly KnownName[]> }

/** The names of the servers with most stars. */
export function wellKnownNames(items: readonly (Item | undefined)[]): WellKnownNames {
  const servers = items.filter(
    (item): item is McpServer => item?.kind === 'MCP_SERVER' && item.popularity >= MIN_STARS && !item.deprecated,
  )
  const names = new Set<string>()
  const byForm = new Map<string, KnownName[]>()
  const byStars = (one: McpServer, other: McpServer) => other.popularity - one.popularity || (one.key < other.key ? -1 : 1)
  for (const server of firstOf(servers, MAX_WELL_KNOWN, byStars)) {
    for (const { what, name } of namesOf(server)) {
      if (names.has(`${what} ${name}`)) continue
      names.add(`${what} ${name}`)
      for (const form of formsOf(name)) byForm.set(form, [...(byForm.get(form) ?? []), { what, name, server }])
    }
  }
  return { names, byForm }
}

/**
 * Names of a server that are one letter, one exchange of neighbours, or only signs between words from
 * those of a well-known server of another owner. Empty for items that are known themselves.
 */
export function lookAlikesOf(item: Item, { names, byForm }: WellKnownNames): readonly LookAlike[] {
  if (item.kind !== 'MCP_SERVER' || item.official) return []
  return namesOf(item).flatMap(({ what, name }) => {
    if (names.has(`${what} ${name}`)) return []
    for (const form of formsOf(name)) {
      const near = byForm.get(form)?.find((known) => isLookAlike(item, { what, name }, known))
      if (near) return [{ what, name, resembles: near.name, key: near.server.key }]
    }
    return []
  })
}

function isLookAlike(item: McpServer, { what, name }: Pick<KnownName, 'what' | 'name'>, known: KnownName): boolean {
  return (
    known.what === what &&
    known.name !== name &&
    known.server.owner.toLowerCase() !== item.owner.toLowerCase() &&
    item.popularity <= known.server.popularity * MAX_SHARE_OF_STARS &&
    // Both are one letter short of a form, or one of the other: two changes at most, of which a name that
    // ends in another number or letter is no imitation (`tool-1`, `tool-2`).
    isOneChange(withoutSigns(name), withoutSigns(known.name))
  )
}

/** One letter more, less or other, or two neighbours exchanged; not a digit for a digit. */
function isOneChange(one: string, other: string): boolean {
  if (one === other) return true
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const [a, b] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  if (/^\d*$/.test(a) && /^\d*$/.test(b)) return false
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0])
}

const withoutSigns = (name: string): string => name.replace(/[-_.@]/g, '')

/** The name, and what remains of it without each of its letters; signs between words do not count. */
function formsOf(name: string): readonly string[] {
  const letters = withoutSigns(name)
  return [letters, ...Array.from(letters, (_, index) => letters.slice(0, index) + letters.slice(index + 1))]
}

/** Scope and name of the package of a command of npm or Python, without its version. */
const PACKAGE = /^(?<runner>npx|bunx|pnpm dlx|uvx|pipx run)\s+(?:-\S+\s+)*(?:(?<scope>@[\w.-]+)\/)?(?<name>[\w.-]+)(?=[\s@=[#]|$)/

/** Scope and package of a command. For Python, signs between words are all the same. */
function packageOf(command: string): readonly string[] {
  const { runner = '', scope, name } = PACKAGE.exec(command.toLowerCase())?.groups ?? {}
  if (name === undefined) return []
  const isPython = runner === 'uvx' || runner === 'pipx run'
  return [...(scope === undefined ? [] : [scope]), isPython ? pypiName(name) : name]
}

/** What people type to get it. */
function namesOf({ owner, installations }: McpServer): readonly Pick<KnownName, 'what' | 'name'>[] {
  const packages = new Set(installations.flatMap(({ command }) => packageOf(command)))
  return [
    { what: 'OWNER' as const, name: owner.toLowerCase() },
    ...[...packages].map((name) => ({ what: 'PACKAGE' as const, name })),
  ].filter(({ name }) => withoutSigns(name.replace(/mcp|server/g, '')).length >= MIN_NAME_LENGTH)
}
