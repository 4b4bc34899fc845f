import { Command } from 'commander'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { encodeId } from '../../subgraphs/toolkit/ids.ts'
import type { TrustParts } from '../../subgraphs/trust/context.ts'
import type { ApiKey } from '../../subgraphs/trust/key/key.ts'
import type { VerdictChange, WatchedDomain } from '../../subgraphs/trust/watched-domain/watched-domain.ts'
import { printable } from '../printable.ts'
import { type KeyOption, keyOf } from './key-option.ts'
import type { WithTrust } from './with-trust.ts'

const EVERYTHING = { size: 1_000, after: null, offset: 0 }
const KEY_OPTION = ['--key <id>', 'key that watches, as `atrium trust key list` shows it'] as const

/** `atrium trust watch`: domains whose verdicts keys follow. */
export function watchCommand(withTrust: WithTrust): Command {
  return new Command('watch')
    .description('watch domains for a key, and show how their verdicts changed')
    .addCommand(addCommand(withTrust))
    .addCommand(listCommand(withTrust))
    .addCommand(removeCommand(withTrust))
    .addCommand(historyCommand(withTrust))
}

function addCommand(withTrust: WithTrust): Command {
  return new Command('add')
    .description('watch a domain; the running server assesses it')
    .argument('<domain>', 'public host name or address')
    .requiredOption(...KEY_OPTION)
    .option('--webhook <url>', 'URL that changes are sent to; the secret that signs them is printed once')
    .action(async (domain: string, { key: id, webhook }: KeyOption & { readonly webhook?: string }) => {
      const [{ validateWatch, MAX_WATCHED_DOMAINS }, { newWebhookSecret }] = await Promise.all([
        import('../../subgraphs/trust/watched-domain/watched-domain.ts'),
        import('../../subgraphs/trust/watched-domain/secrets.ts'),
      ])
      const added = await withTrust(async (trust) => {
        const key = await keyOf(id, trust)
        const checked = validateWatch({ domain, webhookUrl: webhook ?? null }, trust.engine, trust.webhookRefusal)
        if ('faults' in checked) throw new OperatorError(checked.faults.map(({ message }) => message).join(' '))
        const secret = checked.watch.webhookUrl === null ? null : newWebhookSecret()
        const watch = await trust.watches.add(key, checked.watch, { secret, at: trust.now() })
        if (watch === 'watched') throw new OperatorError(`This key watches ${checked.watch.domain} already.`)
        if (watch === 'too many')
          throw new OperatorError(`Expected at most ${MAX_WATCHED_DOMAINS[key.plan]} watched domains of this key.`)
        return { watch, secret }
      })
      console.log(printable(`watches ${added.watch.domain}`))
      if (added.secret !== null) console.log(`${added.secret}\n\nStore it now: it signs the webhooks and cannot be shown again.`)
    })
}

function listCommand(withTrust: WithTrust): Command {
  return new Command('list')
    .description('list the watched domains of a key, by name')
    .requiredOption(...KEY_OPTION)
    .option('--json', 'print [{id, domain, webhookUrl, createdAt, checkedAt, verdict}] on standard output')
    .action(async ({ key: id, json }: KeyOption & { readonly json?: true }) => {
      const found = await withTrust(async (trust) =>
        trust.watches.list({ keyId: (await keyOf(id, trust)).id, domain: null }, EVERYTHING),
      )
      const shown = found.map((watch) => ({ ...watch, id: encodeId('WatchedDomain', watch.id) }))
      if (json) console.log(JSON.stringify(shown, null, 2))
      else for (const watch of shown) console.log(lineOf(watch))
    })
}

function removeCommand(withTrust: WithTrust): Command {
  return new Command('remove')
    .description('end watching a domain, and delete its history')
    .argument('<domain>', 'as `list` shows it')
    .requiredOption(...KEY_OPTION)
    .action(async (domain: string, { key: id }: KeyOption) => {
      await withTrust(async (trust) => {
        const key = await keyOf(id, trust)
        await trust.watches.remove(key.id, (await watchOf(domain, key, trust)).id)
      })
      console.log(printable(`watches ${domain} no more`))
    })
}

function historyCommand(withTrust: WithTrust): Command {
  return new Command('history')
    .description('show changes of the verdict on a watched domain, newest first')
    .argument('<domain>', 'as `list` shows it')
    .requiredOption(...KEY_OPTION)
    .option('--json', 'print [{changedAt, verdict, previousAction, webhook, attempts, error}] on standard output')
    .action(async (domain: string, { key: id, json }: KeyOption & { readonly json?: true }) => {
      const changes = await withTrust(async (trust) => {
        const key = await keyOf(id, trust)
        return trust.watches.changes((await watchOf(domain, key, trust)).id, EVERYTHING)
      })
      if (json) {
        const shown = changes.map(({ id: _, dueAt: __, ...change }) => change)
        console.log(JSON.stringify(shown, null, 2))
      } else for (const change of changes) console.log(changeLine(change))
    })
}

async function watchOf(domain: string, key: ApiKey, { engine, watches }: TrustParts): Promise<WatchedDomain> {
  const found = engine.normalise('domain', domain)
  const listed = { keyId: key.id, domain: found.kind === 'target' ? found.target.host : '' }
  const [watch] = await watches.list(listed, { size: 1, after: null, offset: 0 })
  if (!watch) throw new OperatorError(`This key does not watch "${domain}".`)
  return watch
}

const lineOf = ({ domain, verdict, checkedAt, webhookUrl }: WatchedDomain): string =>
  printable(
    [domain, verdict?.action ?? 'not assessed yet', checkedAt?.toISOString().slice(0, 16) ?? '', webhookUrl ?? '']
      .join('  ')
      .trimEnd(),
  )

const changeLine = ({ changedAt, previousAction, verdict, webhook, error }: VerdictChange): string =>
  printable(
    [
      changedAt.toISOString().slice(0, 16),
      `${previousAction ?? 'first'} → ${verdict.action}`,
      webhook === null ? '' : `webhook ${webhook}`,
      error ?? '',
    ]
      .join('  ')
      .trimEnd(),
  )
