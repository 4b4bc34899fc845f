import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decide, decisionText } from '../../../../../subgraphs/trust/pipeline/decide.ts'
import { CURRENT_POLICY } from '../../../../../subgraphs/trust/pipeline/policy.ts'
import { INTERACTION_KINDS, PROFILES } from '../../../../../subgraphs/trust/pipeline/request.ts'
import { aRequest, knownBank, nothingKnown, youngLookalike } from './samples.ts'

const HOSTS = [
  'dbs.com.sg',
  'paypa1-secure-login.com',
  'аррӏе.com',
  'docs-team.github.io',
  'github.com',
  'İstanbul-giriş.com',
  'quiet-garden.net',
  'localhost',
  '8.8.8.8',
  'a.onion',
]

/**
 * Decisions of a policy version about all sorts of hosts, evidence, policies and interactions, one
 * line each.
 */
export function goldenText(version: string): string {
  const lines = HOSTS.flatMap((host) =>
    [knownBank, youngLookalike, nothingKnown].flatMap((sample, index) => {
      const profile = PROFILES[(index + host.length) % PROFILES.length] ?? 'balanced'
      const kind = INTERACTION_KINDS[(index + host.length) % INTERACTION_KINDS.length] ?? 'fetch'
      const request = aRequest(host, { profile, interaction: { kind, mode: 'read_only', sensitivity: 'medium' } })
      return decisionText(decide(sample(request.target.host), request, version, null))
    }),
  )
  return `${lines.join('\n')}\n`
}

// Run as a program it keeps the decisions of the present version.
if (import.meta.main) {
  const folder = join(import.meta.dirname, '../golden')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${CURRENT_POLICY}.txt`), goldenText(CURRENT_POLICY))
}
