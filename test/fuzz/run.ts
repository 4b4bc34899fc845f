import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, type SelectionSetNode } from 'graphql'
import { shrunk as smallerOperation } from '../gateway/differential/shrink.ts'
import { faultOfGraph, faultOfRest, outcomeOf } from './judgement.ts'
import { type Asked, api, askedOf } from './operations.ts'
import { type Sent, sentOf } from './requests.ts'
import { shrunk } from './shrink.ts'
import type { Target } from './target.ts'

/** What was answered wrongly, as small as it was made, as `cases/` keeps it. */
export type Finding = {
  readonly door: 'graph' | 'rest'
  readonly seed: string
  readonly fault: string
  readonly sent: Asked | Sent
}

/** A failure as it is kept for ever: a file of `cases/`. */
export type Case = { readonly why: string; readonly door: 'graph' | 'rest'; readonly sent: Asked | Sent }

const DOORS = {
  graph: {
    make: askedOf,
    ask: (target: Target, sent: Asked, id: string) => target.ask(sent, id),
    fault: (_: Asked, reply: Parameters<typeof faultOfGraph>[0]) => faultOfGraph(reply),
  },
  rest: { make: sentOf, ask: (target: Target, sent: Sent, id: string) => target.send(sent, id), fault: faultOfRest },
} as const

const LATE = /"code":"TIMEOUT"|^status 503|^no answer: .*(timeout|abort)/

/** Requests that are under way at once. */
const AT_ONCE = 8

/**
 * What is wrong with the answer to one request; null when nothing is. A request that is not
 * answered at all is wrong.
 */
export async function faultOf(
  target: Target,
  door: Finding['door'],
  sent: Asked | Sent,
  id: string,
  came?: (outcome: string) => void,
): Promise<string | null> {
  const { ask, fault } = DOORS[door] as {
    ask: (...given: unknown[]) => ReturnType<Target['ask']>
    fault: (...given: unknown[]) => string | null
  }
  const judged = async () => {
    try {
      const reply = await ask(target, sent, id)
      came?.(outcomeOf(reply))
      return fault(sent, reply)
    } catch (error) {
      return `no answer: ${error instanceof Error ? error.message : error}`
    }
  }
  const first = await judged()
  // A busy machine is late once; what is slow by itself is late again.
  return first !== null && LATE.test(first) ? judged() : first
}

/**
 * Asks what these seeds make at this door, and counts what the answers came to. `found` hears of
 * each failure, made small; `signal` ends it early.
 */
export async function run(
  target: Target,
  door: Finding['door'],
  seeds: readonly (number | string)[],
  {
    found,
    progress,
    signal,
  }: { readonly found: (finding: Finding) => void; readonly progress?: (done: number) => void; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>()
  let next = 0
  let done = 0
  const known = new Set<string>()
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcomes

  async function worker(): Promise<void> {
    while (next < seeds.length && !signal?.aborted) {
      const seed = String(seeds[next++])
      const sent = DOORS[door].make(seed)
      const before = target.faults().length
      const fault = await faultOf(target, door, sent, `${door}-${seed}`, (outcome) =>
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1),
      )
      progress?.(++done)
      const logged = target
        .faults()
        .slice(before)
        .find(({ id }) => id === `${door}-${seed}`)
      const what = fault ?? (logged ? `the log: ${logged.line}` : null)
      if (what === null || known.has(kindOf(what))) continue
      known.add(kindOf(what))
      found({ door, seed, fault: what, sent: fault === null ? sent : await small(sent, causeOf(what)) })
    }
  }

  async function small(sent: Asked | Sent, cause: string): Promise<Asked | Sent> {
    const fails = async (candidate: Asked | Sent) => {
      const fault = await faultOf(target, door, candidate, 'shrinking')
      return fault !== null && causeOf(fault) === cause
    }
    if (!(await fails(sent))) return sent
    if (!isAsked(sent) || !isParsed(sent.query)) return shrunk(sent, fails)
    const { as, query, variables } = sent
    const operation = { name: '', query: String(query), variables: variables as Record<string, unknown> }
    const smaller = await smallerOperation(operation, api, ({ query, variables }) => fails({ as, query, variables }))
    return shrunk({ as, query: smaller.query, variables: smaller.variables }, fails)
  }
}

const isAsked = (sent: Asked | Sent): sent is Asked => 'query' in sent

function isParsed(query: unknown): boolean {
  try {
    const [definition] = parse(String(query)).definitions
    return (definition as { selectionSet?: SelectionSetNode } | undefined)?.selectionSet !== undefined
  } catch {
    return false
  }
}

/**
 * Failures that are alike, so that one of them is enough: without what differs from request to
 * request.
 */
const kindOf = (fault: string): string => fault.replaceAll(/request \S+ when|"requestId":"[^"]*"|\d+/g, '0').slice(0, 300)

/** The same while a request is made smaller, which changes names and places. */
const causeOf = (fault: string): string =>
  kindOf(fault)
    .replace(/"path":\[[^\]]*\]/, '')
    .slice(0, 80)

/** Keeps a failure as a case of the suite. Returns the file. */
export function keep({ door, seed, fault, sent }: Finding): string {
  const folder = join(import.meta.dirname, 'cases')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${door}-${seed.replaceAll(/\W/g, '-')}.json`)
  const kept: Case = { why: fault, door, sent }
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`)
  return file
}
