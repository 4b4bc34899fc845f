import { Command } from 'commander'
import type { WithTrust } from '../trust.ts'

export function feedsCommand(withTrust: WithTrust): Command {
  return new Command('feeds')
    .description('look after threat feeds and popularity lists')
    .addCommand(
      new Command('refresh')
        .description('download the lists that are due, as the server does by itself')
        .option('--json', 'print [{name, state, reason}] on standard output')
        .action(async ({ json }: { readonly json?: true }) => {
          const states = await withTrust(async ({ refreshLists, sources }) => {
            await refreshLists()
            return sources.status()
          })
          print(states, json === true)
        }),
    )
    .addCommand(
      new Command('status')
        .description('show what is there')
        .option('--json', 'print [{name, state, reason}] on standard output')
        .action(async ({ json }: { readonly json?: true }) =>
          print(await withTrust(({ sources }) => sources.status()), json === true),
        ),
    )
}

type States = readonly { readonly name: string; readonly state: string; readonly reason: string | null }[]

function print(states: States, json: boolean): void {
  if (json) console.log(JSON.stringify(states, null, 2))
  else
    for (const { name, state, reason } of states) console.log(`${name.padEnd(14)}  ${state.padEnd(8)}  ${reason ?? ''}`.trimEnd())
}
