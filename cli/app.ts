import { Command, InvalidArgumentError } from 'commander'
import { migrate } from '../platform/database/migrate.ts'
import { amountOf, textOf } from '../subgraphs/store/amount.ts'
import type { Apps } from '../subgraphs/store/operator/apps.ts'
import { withDatabase } from './database.ts'
import { printable } from './printable.ts'

/** `atrium app`: registers OAuth apps of third parties, which request access to stores. */
export function appCommand(): Command {
  return new Command('app')
    .summary('apps that ask stores for access (OAuth)')
    .description('register apps that can request access to every store (OAuth 2.0); the server may be running')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(plansCommand())
}

type Create = {
  readonly name: string
  readonly redirect: readonly string[]
  readonly scopes?: readonly string[]
  readonly public?: true
  readonly json?: true
}

function createCommand(): Command {
  return new Command('create')
    .description('register an app, and print its secret once')
    .requiredOption('--name <name>', 'name that shop owners see, 1 to 100 characters')
    .requiredOption(
      '--redirect <uri...>',
      'redirect URI, compared exactly: https, http on the loopback interface, com.example.app:/…, or urn:ietf:wg:oauth:2.0:oob',
    )
    .option('--scopes <scope...>', 'scopes that it can request, such as read_products; all when absent')
    .option('--public', 'public client, such as an app in a browser or on a phone: it has no secret and must use PKCE')
    .option('--json', 'print {clientId, clientSecret} on standard output; the secret of a public app is null')
    .action(async ({ name, redirect, scopes, public: isPublic, json }: Create) => {
      const created = await withApps((apps) =>
        apps.create({
          name,
          redirectUris: redirect,
          // Scopes may also be separated by commas, as many configurations write them.
          scopes: scopes?.flatMap((word) => word.split(',')) ?? null,
          isPublic: isPublic === true,
        }),
      )
      const { clientId, clientSecret } = created
      if (json) console.log(JSON.stringify(created, null, 2))
      else if (clientSecret === null) console.log(`client_id  ${clientId}\n\nIt has no secret, and must use PKCE with S256.`)
      else
        console.log(
          `client_id      ${clientId}\nclient_secret  ${clientSecret}\n\nStore the secret now: it is saved as a hash and cannot be shown again.`,
        )
    })
}

function listCommand(): Command {
  return new Command('list')
    .description('list the apps that every store can use, oldest first')
    .option('--json', 'print [{clientId, name, isPublic, redirectUris, scopes, createdAt}] on standard output')
    .action(async ({ json }: { readonly json?: true }) => {
      const apps = (await withApps((all) => all.list())).map(({ code, name, isPublic, redirectUris, scopes, createdAt }) => ({
        clientId: code,
        name,
        isPublic,
        redirectUris,
        scopes,
        createdAt,
      }))
      if (json) console.log(JSON.stringify(apps, null, 2))
      else
        for (const { clientId, name, isPublic, redirectUris } of apps)
          console.log(printable(`${clientId}  ${isPublic ? 'public      ' : 'confidential'}  ${name}  ${redirectUris.join(' ')}`))
    })
}

function plansCommand(): Command {
  return new Command('plans')
    .description('set or show the pricing plans of an app')
    .argument('<client-id>', 'client id of the app')
    .option(
      '--plan <plan...>',
      'plan as name:currency:monthly price:free orders:price per further order, such as Basic:EUR:10:100:0.05; replaces all plans',
      (text, earlier: readonly Plan[] = []) => [...earlier, planIn(text)],
    )
    .option('--none', 'make the app free')
    .option('--json', 'print [{name, currency, monthlyPrice, freeOrders, pricePerOrder}] on standard output')
    .action(async (clientId: string, { plan, none, json }: { plan?: readonly Plan[]; none?: true; json?: true }) => {
      const newPlans = none ? [] : plan
      const plans = await withApps(async (apps) => {
        if (newPlans) await apps.setPlans(clientId, newPlans)
        return apps.plansOf(clientId)
      })
      const shown = plans.map(({ name, currency, monthlyPrice, freeOrders, pricePerOrder }) => ({
        name,
        currency,
        monthlyPrice: textOf(amountOf(monthlyPrice)),
        freeOrders,
        pricePerOrder: textOf(amountOf(pricePerOrder)),
      }))
      if (json) console.log(JSON.stringify(shown, null, 2))
      else
        for (const { name, currency, monthlyPrice, freeOrders, pricePerOrder } of shown)
          console.log(
            `${name}  ${monthlyPrice} ${currency} per month, ${pricePerOrder} ${currency} for each order after ${freeOrders}`,
          )
    })
}

const PLAN = /^(.+):([A-Z]{3}):(\d{1,10}(?:\.\d{1,4})?)(?::(\d{1,10})(?::(\d{1,10}(?:\.\d{1,4})?))?)?$/

type Plan = Parameters<Apps['setPlans']>[1][number]

function planIn(text: string): Plan {
  const [, name, currency, monthlyPrice, freeOrders = '0', pricePerOrder = '0'] = PLAN.exec(text) ?? []
  if (name === undefined || currency === undefined || monthlyPrice === undefined)
    throw new InvalidArgumentError('Expected a plan such as Basic:EUR:10:100:0.05.')
  return { name, currency, monthlyPrice, freeOrders: Number(freeOrders), pricePerOrder }
}

async function withApps<Result>(work: (apps: Apps) => Promise<Result>): Promise<Result> {
  return withDatabase(async ({ connection }) => {
    await migrate(connection)
    const { withApps: onApps } = await import('../subgraphs/store/operator/apps.ts')
    return onApps(connection, work)
  })
}
