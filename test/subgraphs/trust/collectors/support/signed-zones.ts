import { execFileSync, spawnSync } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SocketEndpoint } from '../../../../../platform/outbound/safe-connect.ts'
import { type Program, startProgram } from '../../../../support/program.ts'

/**
 * Whether Knot DNS and Unbound are on the PATH: a server that signs, and a resolver that checks.
 */
export const hasSigningServers = ['knotd', 'keymgr', 'unbound'].every((program) => !spawnSync(program, ['--version']).error)

const ADDRESS = '93.184.216.34'
const SOA = '300 IN SOA ns.test. h.test. 1 3600 600 86400 300'
const WRONG = '0'.repeat(64)
/** How long a server may take until it answers; both do within a second. */
const START = { timeoutMs: 20_000 }

/**
 * A root of our own with zones below: signed ones, one whose key is not the one that is vouched
 * for, one that has lost its signatures, and `lame.test`, which is said to lie with `lame`.
 */
export async function startSignedZones(
  lame: SocketEndpoint,
): Promise<{ readonly resolver: SocketEndpoint; readonly close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-dnssec-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  mkdirSync(join(folder, 'db'))
  const knotAt = (port: number) =>
    file(
      'knot.conf',
      `server:
  rundir: ${folder}
  listen: 127.0.0.1@${port}
database:
  storage: ${folder}/db
policy:
  - id: ours
    manual: on
template:
  - id: default
    storage: ${folder}
    file: "%s.zone"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
    dnssec-policy: ours
zone:
  - domain: .
    file: root.zone
    dnssec-signing: on
${['test', 'signed.test', 'swapped.test'].map((domain) => `  - domain: ${domain}\n    dnssec-signing: on`).join('\n')}
  - domain: stripped.test
  - domain: unsigned.test
`,
    )
  // Keys have nothing to do with the port.
  const knot = knotAt(53)
  const keymgr = (...words: string[]) => execFileSync('keymgr', ['-c', knot, ...words], { encoding: 'utf8' })
  for (const domain of ['.', 'test', 'signed.test', 'swapped.test'])
    keymgr(domain, 'generate', 'algorithm=ecdsap256sha256', 'ksk=yes', 'zsk=yes')
  const vouching = (domain: string) =>
    keymgr(domain, 'ds')
      .split('\n')
      .find((line) => / 13 2 /.test(line)) ?? ''

  file(
    'root.zone',
    `. ${SOA}\n. 300 IN NS ns.test.\ntest. 300 IN NS ns.test.\nns.test. 300 IN A 127.0.0.1\n${vouching('test')}\n`,
  )
  const below = ['signed', 'swapped', 'stripped', 'unsigned', 'lame'].map((name) => `${name}.test. 300 IN NS ns.test.`)
  file(
    'test.zone',
    [
      `test. ${SOA}`,
      'test. 300 IN NS ns.test.',
      'ns.test. 300 IN A 127.0.0.1',
      ...below,
      vouching('signed.test'),
      `swapped.test. 300 IN DS 1 13 2 ${WRONG}`,
      `stripped.test. 300 IN DS 2 13 2 ${WRONG}`,
      '',
    ].join('\n'),
  )
  for (const name of ['signed', 'swapped', 'stripped', 'unsigned'])
    file(
      `${name}.test.zone`,
      `${name}.test. ${SOA}\n${name}.test. 300 IN NS ns.test.\n${name}.test. 300 IN A ${ADDRESS}\n${name}.test. 300 IN TXT "v=spf1 -all"\n`,
    )
  // One after the other: a resolver remembers for long that it could not reach a server.
  const authority = await startProgram((port) => ['knotd', ['-c', knotAt(port)]], isAnswering, START)
  const stubs = ['.', 'test', ...['signed', 'swapped', 'stripped', 'unsigned'].map((name) => `${name}.test`)].map((name) => ({
    name,
    port: authority.port,
  }))
  const unboundAt = (port: number) =>
    file(
      'unbound.conf',
      `server:
  interface: 127.0.0.1
  port: ${port}
  do-ip6: no
  do-daemonize: no
  use-syslog: no
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: ""
  do-not-query-localhost: no
  local-zone: "test." nodefault
  trust-anchor-file: "${file('root.key', keymgr('.', 'dnskey'))}"
  module-config: "validator iterator"
remote-control:
  control-enable: no
${[...stubs, { name: 'lame.test', port: lame.port }].map(({ name, port }) => `stub-zone:\n  name: "${name}"\n  stub-addr: 127.0.0.1@${port}`).join('\n')}
`,
    )
  const resolver = await startProgram((port) => ['unbound', ['-d', '-c', unboundAt(port)]], isAnswering, START).catch(
    async (error) => {
      await authority.kill()
      throw error
    },
  )
  return {
    resolver: { address: '127.0.0.1', port: resolver.port },
    async close() {
      await Promise.all([authority, resolver].map(({ kill }) => kill()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether a server knows a signed zone. */
async function isAnswering({ port }: Program): Promise<boolean> {
  const validator = new Resolver({ timeout: 500, tries: 1 })
  validator.setServers([`127.0.0.1:${port}`])
  return (await validator.resolveSoa('signed.test')) !== null
}
