import { Command } from 'commander'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { RefreshedList } from '../../subgraphs/trust/collectors/list-refresh.ts'
import type { WithTrust } from './with-trust.ts'

export function feedsCommand(withTrust: WithTrust): Command {
  return new Command('feeds')
    .description('update and show threat feeds and popularity lists')
    .addCommand(
      new Command('refresh')
        .description('download the lists that are due, as the server does automatically; exits 1 while a list has no copy')
        .option('--json', 'print [{name, state, reason, notDueUntil}] on standard output')
        .action(async ({ json }: { readonly json?: true }) => {
          const { lists, states } = await withTrust(async ({ refreshLists, sources }) => ({
            lists: await refreshLists(),
            states: await sources.status(),
          }))
          print(
            states.map((state) => refreshed(state, lists)),
            json === true,
          )
          const without = lists.filter(({ hasCopy }) => !hasCopy).map(({ name }) => name)
          if (without.length > 0) throw new OperatorError(`There is no copy of ${without.join(', ')}.`)
        }),
    )
    .addCommand(
      new Command('status')
        .description('show the state of the lists')
        .option('--json', 'print [{name, state, reason}] on standard output')
        .action(async ({ json }: { readonly json?: true }) =>
          print((await withTrust(({ sources }) => sources.status())).map(elsewhere), json === true),
        ),
    )
}

type State = {
  readonly name: string
  readonly state: string
  readonly reason: string | null
  /** When a list that was not yet due will be downloaded, as RFC 3339 text. */
  readonly notDueUntil?: string | null
}

/**
 * State of a source with the result of its list's download. After a failed download the previous
 * copy stays in use.
 */
function refreshed(state: State, lists: readonly RefreshedList[]): State {
  const list = lists.find(({ name }) => name === state.name)
  const notDueUntil = list?.notDueUntil == null ? null : new Date(list.notDueUntil * 1000).toISOString()
  return { ...elsewhere(state), reason: elsewhere(state).reason ?? list?.fault ?? null, notDueUntil }
}

/** Rows whose state each process has for itself; that of lists is in the database. */
const OF_A_PROCESS: ReadonlySet<string> = new Set(['rdap', 'dns', 'tls', 'ct', 'networks'])

/** The state, with where to look for what this command does not try. */
const elsewhere = (state: State): State =>
  state.state === 'untried' && OF_A_PROCESS.has(state.name)
    ? { ...state, reason: "not by this command; a server's own state is in its /ready" }
    : state

function print(states: readonly State[], json: boolean): void {
  if (json) console.log(JSON.stringify(states, null, 2))
  else for (const state of states) console.log(lineOf(state))
}

function lineOf({ name, state, reason, notDueUntil }: State): string {
  const due = notDueUntil ? `not due until ${notDueUntil.replace('T', ' ').replace('.000Z', ' UTC')}` : null
  return `${name.padEnd(14)}  ${state.padEnd(8)}  ${[reason, due].filter((each) => each !== null).join('; ')}`.trimEnd()
}
