import { createHash } from 'node:crypto'
import { getDomain } from 'tldts'
import { type Case, caseForm } from '../../../cli/trust/case.ts'
import { popularNames } from '../../../subgraphs/trust/collectors/popular-names.ts'
import { type DomainFacts, evidenceOf, KINDS } from './evidence.ts'

/** One row of a class: target, kind of domain, interactions, actions. */
export type Row = readonly [
  target: string,
  kind: keyof typeof KINDS,
  /** F fetch, W download, L log-in, Y payment; one case each. */
  interactions: string,
  /** Allowed actions, then those that must never be given: P, C, S, E, D. "PC !ED" */
  actions: string,
  different?: DomainFacts & { readonly policy?: string; readonly redirects?: RedirectsInput },
]
export type RedirectsInput = {
  readonly end: string
  readonly hops: readonly (readonly [url: string, kind: keyof typeof KINDS, different?: DomainFacts])[]
}

const ACTIONS: Readonly<Record<string, string>> = {
  P: 'proceed',
  C: 'proceed_with_caution',
  S: 'sandbox',
  E: 'escalate_to_human',
  D: 'deny',
}
const INTERACTIONS: Readonly<Record<string, object>> = {
  F: { kind: 'fetch', mode: 'read_only', sensitivity: 'medium' },
  W: { kind: 'download_file', mode: 'read_only', sensitivity: 'medium' },
  L: { kind: 'submit_credentials', mode: 'transactional', sensitivity: 'medium' },
  Y: { kind: 'initiate_payment', mode: 'transactional', sensitivity: 'medium' },
}

const hostOf = (target: string): string =>
  (URL.parse(target.includes('://') ? target : `http://${target}`)?.hostname ?? target).replace(/^\[|\]$/g, '')

async function evidenceAbout(target: string, facts: DomainFacts) {
  const host = hostOf(target)
  const registrable = getDomain(host) ?? host
  const evidence = evidenceOf(registrable, host, facts)
  if (facts.rank !== undefined || (facts.missing ?? []).includes('popularity')) return evidence
  const { neighboursOf, rankOf } = await popularNames()
  const { popularity } = evidence as { popularity: object }
  return rankOf(registrable) === null
    ? { ...evidence, popularity: { ...popularity, neighbours: neighboursOf(registrable) } }
    : evidence
}

/** Tells cases apart that differ in their evidence alone. */
const ORDINAL = / #\d+$/

/** Cases of a class. Evidence is about the registered domain and the host of the target. */
export async function casesOf(name: string, why: string, rows: readonly Row[]): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (const [target, kind, interactions, actions, { policy = 'balanced', redirects, ...different } = {}] of rows) {
    const [allowed = '', forbidden = ''] = actions.split('!').map((letters) => letters.trim())
    const namesOf = (letters: string) => [...letters].map((letter) => ACTIONS[letter] ?? letter)
    const facts: DomainFacts = { ...KINDS[kind], ...different }
    const hops = []
    for (const [url, hopKind, hopDifferent] of redirects?.hops ?? [])
      hops.push({ url, evidence: await evidenceAbout(url, { ...KINDS[hopKind], ...hopDifferent }) })
    for (const interaction of interactions) {
      const base = `${name}: ${target} ${interaction} ${kind} ${policy}`
      const same = cases.filter((one) => one.name.replace(ORDINAL, '') === base).length
      cases.push(
        caseForm.parse({
          name: same === 0 ? base : `${base} #${same + 1}`,
          domain: target,
          evidence: await evidenceAbout(target, facts),
          ...(redirects && { redirects: { end: redirects.end, hops } }),
          interaction: INTERACTIONS[interaction],
          policy,
          expect: {
            actions: namesOf(allowed),
            mustNot: namesOf(forbidden),
            mustHaveCodes: [],
            anyOfCodes: [],
            mustNotCodes: [],
            why,
          },
        }),
      )
    }
  }
  return cases
}

/** The half of a case, by a hash of its name: the second one is never tuned on. */
export const isHeldOut = ({ name }: Case): boolean =>
  (createHash('sha256').update(name.replace(ORDINAL, '')).digest()[0] ?? 0) % 2 === 1
