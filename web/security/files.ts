import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileRow } from '../frame/file.ts'

/**
 * RFC 9116 §2.5.5 recommends less than a year: a process that runs longer tells of a contact that
 * nobody has looked at.
 */
const VALID_DAYS = 300
const DAY_MS = 86_400_000

const POLICY_PATH = '/security-policy'
const TEXT = 'text/plain; charset=utf-8'

/**
 * Whom to tell about vulnerabilities: `/.well-known/security.txt` (RFC 9116), and the policy that
 * it names. `contacts` are URIs, the preferred one first; none: the policy. Everything ends
 * `VALID_DAYS` after `startedAt`.
 */
export function securityFiles(contacts: readonly string[], startedAt: Date): readonly FileRow[] {
  const policy = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8')
  const expires = new Date(startedAt.getTime() + VALID_DAYS * DAY_MS).toISOString().replace(/\.\d+Z$/, 'Z')
  return [
    {
      path: '/.well-known/security.txt',
      contentType: TEXT,
      operations: [],
      text: ({ site: { publicUrl } }) => {
        const policyUrl = `${publicUrl}${POLICY_PATH}`
        return [
          // §2.5: addresses of the web begin with https.
          ...(publicUrl.startsWith('https:') ? [] : ['# Not valid by RFC 9116: PUBLIC_URL is not https.']),
          ...(contacts.length === 0 ? [policyUrl] : contacts).map((contact) => `Contact: ${contact}`),
          `Expires: ${expires}`,
          `Canonical: ${publicUrl}/.well-known/security.txt`,
          `Policy: ${policyUrl}`,
          'Preferred-Languages: en',
          '',
        ].join('\n')
      },
    },
    { path: POLICY_PATH, contentType: 'text/markdown; charset=utf-8', operations: [], text: () => policy },
  ]
}
