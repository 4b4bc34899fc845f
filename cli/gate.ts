import { Command, Option } from 'commander'
import type { GatedSource } from '../clients/gate/gate.ts'
import type { Use } from '../clients/gate/use.ts'
import type { Policy } from '../clients/trust/decision.ts'
import { Refusal } from '../subgraphs/runtime/refusal.ts'

type Options = { readonly atrium: string; readonly policy: Policy; readonly allowPrivate?: true; readonly json?: true }

/** `atrium gate`: what an agent may cite of some sources, and why. Asks a running Atrium over HTTP, as any client does. */
export function gateCommand(): Command {
  return new Command('gate')
    .description('take sources to what an agent may cite: ask a running Atrium, read, rate')
    .argument('<source...>', 'http(s) URLs, or files (.html, .htm, .xhtml, .txt, .md), which are read without asking')
    .addOption(new Option('--atrium <url>', 'where Atrium runs').env('ATRIUM_URL').default('http://localhost:4000'))
    .addOption(
      new Option('--policy <profile>', 'how much doubt is tolerated')
        .choices(['open', 'balanced', 'strict', 'critical'])
        .default('balanced'),
    )
    .option('--allow-private', 'also read pages at addresses that are not public')
    .option('--json', 'print [{source, standing, decision, rating, use, why, content}] on standard output')
    .addHelpText(
      'after',
      '\nEnvironment:\n  ATRIUM_API_KEY  the key to ask with; `npx atrium trust key create` makes one. Files need none.',
    )
    .action(async (sources: string[], { atrium, policy, allowPrivate, json }: Options) => {
      const { gateSources, MOST_SOURCES } = await import('../clients/gate/gate.ts')
      const { sourceOf } = await import('../clients/gate/source.ts')
      const { trustClient } = await import('../clients/trust/client.ts')

      const apiKey = process.env.ATRIUM_API_KEY
      if (!apiKey && sources.some((source) => sourceOf(source).kind === 'web'))
        throw new Refusal('Expected ATRIUM_API_KEY to hold an API key: `npx atrium trust key create` makes one.')
      if (sources.length > MOST_SOURCES) throw new Refusal(`Expected at most ${MOST_SOURCES} sources, got ${sources.length}.`)
      const client = apiKey ? asked(() => trustClient({ baseUrl: atrium, apiKey })) : null
      const results = await gateSources(sources, { client, policy, allowPrivate: allowPrivate === true })
      if (json) console.log(JSON.stringify(results, null, 2))
      else process.stdout.write(asText(results))
    })
}

/** What is wrong with an address or a key is the caller's to mend. */
function asked<Client>(make: () => Client): Client {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError) throw new Refusal(error.message)
    throw error
  }
}

const HEADINGS: Readonly<Record<Use, string>> = {
  cite: 'May be cited',
  context: 'May be read, not cited',
  none: 'Not to be used',
}

function asText(results: readonly GatedSource[]): string {
  return (['cite', 'context', 'none'] as const)
    .flatMap((use) => {
      const found = results.filter((result) => result.use === use)
      if (found.length === 0) return []
      const lines = found.flatMap(({ source, content, why }) => [
        `  ${printable(source)}`,
        ...(content?.title ? [`    “${printable(content.title)}”`] : []),
        ...why.map((reason) => `    ${printable(reason)}`),
      ])
      return [`${HEADINGS[use]}:`, ...lines, '']
    })
    .join('\n')
}

/** Without signs that move a terminal's cursor or turn its text around: titles come from strangers. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
