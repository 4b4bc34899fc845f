import type { Command } from 'commander'
import { type LookupTable, lookupTable } from '../platform/collections/lookup-table.ts'

/** Suggested next command by command path. */
const NEXT_STEPS: LookupTable<string> = lookupTable({
  import: 'look at it: open /search, or curl localhost:4000/api/search?q=…',
  'user create': 'sign in with the mutation login, as docs/guides/first-administrator.md shows.',
  'user password': 'sign in again: every session has ended.',
  'store create': 'sign in at /console with login and authtoken; shoppers see /shops/CODE.',
  'store token reset': 'sign in at /console, or go on with docs/store.md.',
  'store owner': 'the owner signs in with the account where an app asks for access.',
  'app create': 'send a shop owner to /oauth/authorize; docs/operations/people.md#apps has the flow.',
  'trust key create': `curl localhost:4000/v1/decide -H "x-api-key: KEY" -H 'content-type: application/json' -d '{"domain": "example.com"}'`,
  'trust key rotate': 'give the new key to its program before the old one ends.',
  'trust feeds refresh': 'npx atrium trust check example.com --explain',
  'trust check': 'why, in words: add --explain. Programs ask POST /v1/decide.',
  'db migrate': 'npx atrium doctor',
  'db backup': 'try to restore it: docs/guides/back-up-and-restore.md has the drill.',
  'db restore': 'start Atrium, then npx atrium doctor.',
  'secrets generate': 'put it into the environment of every process, and keep a copy outside of the backups.',
  'secrets reencrypt': 'npx atrium secrets status',
})

const pathOf = (command: Command): string => (command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim())

/**
 * Prints the suggested next command on standard error, only to a terminal and not with `--json`.
 */
export function showNextStep(command: Command): void {
  const text = NEXT_STEPS[pathOf(command)]
  if (text === undefined || process.exitCode || command.opts().json || !process.stdout.isTTY || !process.stderr.isTTY) return
  console.error(`\nNext: ${text}`)
}
