import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** A machine of its own for its programs: a network namespace with an address on the switch. */
export type Host = {
  readonly name: string
  readonly address: string
  /** The command line that runs a program on it, which ends with this process. */
  readonly command: (
    line: readonly string[],
    user?: { readonly uid: number; readonly gid: number },
  ) => [file: string, ...args: string[]]
}

/** Undoes a fault. */
export type Heal = () => void

/** Hosts on one switch, and what may happen to the links between them. */
export type Network = {
  readonly host: (name: string) => Host
  /** Address of this machine on the switch: where the test's clients are. */
  readonly ownAddress: string
  /** All addresses, as CIDR. */
  readonly range: string
  /** Discards `percent` of the packets of one direction. */
  readonly drop: (from: readonly string[], to: readonly string[], percent?: number) => Heal
  /** Discards all packets between both groups of hosts, in both directions. */
  readonly cut: (some: readonly string[], others: readonly string[]) => Heal
  /** Bounds what the host sends and receives, each. */
  readonly slow: (name: string, kilobitsPerSecond: number) => Heal
  readonly close: () => void
}

const POSTGRES_FOLDER = '/usr/lib/postgresql'
const PROGRAMS = ['/usr/sbin/ip', '/usr/sbin/tc', '/usr/sbin/nft', '/usr/sbin/haproxy', '/usr/bin/redis-server', POSTGRES_FOLDER]

/**
 * Why hosts cannot be made here; null: they can. Where REQUIRE_HOSTS is set they are, or the test
 * fails.
 */
export const hostsMissing: string | null = missing()

function missing(): string | null {
  if (process.env.REQUIRE_HOSTS) return null
  const program = PROGRAMS.find((path) => !existsSync(path))
  if (program) return `no ${program}`
  if (process.getuid?.() !== 0) return 'only root makes network namespaces'
  const name = `atrium-${randomBytes(3).toString('hex')}`
  if (spawnSync('ip', ['netns', 'add', name]).status !== 0) return 'the system makes no network namespaces'
  execFileSync('ip', ['netns', 'del', name])
  return null
}

const run = (file: string, args: readonly string[], input?: string): void =>
  void execFileSync(file, args, { input, stdio: ['pipe', 'ignore', 'pipe'] })

/** Makes the hosts. Names are those of `names`, in the order of their addresses. */
export function startNetwork(names: readonly string[]): Network {
  deleteLeftovers()
  const random = randomBytes(3).toString('hex')
  const id = `atrium-${process.pid}-${random}`
  const prefix = freePrefix()
  const ownAddress = `${prefix}.254`
  const space = (name: string) => `${id}-${name}`
  const link = (index: number) => `v${index}`
  const addresses = new Map(names.map((name, index) => [name, `${prefix}.${index + 1}`]))
  const ownLink = `atr${random}`
  const close = () => {
    for (const name of [...names, 'switch']) spawnSync('ip', ['netns', 'del', space(name)])
  }
  try {
    const lines = [
      ...['switch', ...names].map((name) => `netns add ${space(name)}`),
      ...names.map(
        (name, index) => `link add name ${link(index)} netns ${space('switch')} type veth peer name eth0 netns ${space(name)}`,
      ),
      `link add name ${ownLink} type veth peer name own netns ${space('switch')}`,
      `addr add ${ownAddress}/24 dev ${ownLink}`,
      `link set ${ownLink} up`,
    ]
    run('ip', ['-batch', '-'], lines.join('\n'))
    const ports = ['own', ...names.map((_, index) => link(index))]
    run(
      'ip',
      ['-n', space('switch'), '-batch', '-'],
      ['link add br0 type bridge', 'link set br0 up', ...ports.map((port) => `link set ${port} master br0 up`)].join('\n'),
    )
    for (const name of names)
      run(
        'ip',
        ['-n', space(name), '-batch', '-'],
        [`addr add ${addressOf(name)}/24 dev eth0`, 'link set lo up', 'link set eth0 up'].join('\n'),
      )
  } catch (error) {
    close()
    throw error
  }
  const rules = new Map<string, Set<string>>()

  return {
    ownAddress,
    range: `${prefix}.0/24`,
    host: (name) => ({
      name,
      address: addressOf(name),
      command: (line, user) => [
        'nsenter',
        `--net=/run/netns/${space(name)}`,
        '--',
        'setpriv',
        ...(user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []),
        '--pdeathsig=KILL',
        ...line,
      ],
    }),
    drop,
    cut(some, others) {
      const heals = [drop(some, others), drop(others, some)]
      return () => {
        for (const heal of heals) heal()
      }
    },
    slow(name, kilobitsPerSecond) {
      const rate = ['tbf', 'rate', `${kilobitsPerSecond}kbit`, 'burst', '16kb', 'latency', '400ms']
      const places = [
        [space(name), 'eth0'],
        [space('switch'), link(names.indexOf(name))],
      ] as const
      for (const [where, device] of places) run('tc', ['-n', where, 'qdisc', 'add', 'dev', device, 'root', ...rate])
      return () => {
        for (const [where, device] of places) run('tc', ['-n', where, 'qdisc', 'del', 'dev', device, 'root'])
      }
    },
    close,
  }

  function addressOf(name: string): string {
    const address = addresses.get(name)
    if (!address) throw new Error(`Expected one of the hosts ${names.join(', ')}, got ${name}.`)
    return address
  }

  function drop(from: readonly string[], to: readonly string[], percent = 100): Heal {
    const share = percent === 100 ? '' : `numgen random mod 100 < ${percent} `
    const rule = `iifname "eth0" ip saddr { ${from.map(addressOf).join(', ')} } ${share}drop`
    for (const name of to) {
      const own = rules.get(name) ?? new Set()
      rules.set(name, own.add(rule))
      filter(name, own)
    }
    return () => {
      for (const name of to) {
        const own = rules.get(name)
        if (own?.delete(rule)) filter(name, own)
      }
    }
  }

  /** Replaces all rules of a host at once. */
  function filter(name: string, own: ReadonlySet<string>): void {
    const text = `table inet faults
delete table inet faults
table inet faults {
  chain input {
    type filter hook input priority filter;
    ${[...own].join('\n    ')}
  }
}`
    run('nsenter', [`--net=/run/netns/${space(name)}`, '--', 'nft', '-f', '-'], text)
  }
}

/** Deletes the namespaces of processes that were killed before they could. */
function deleteLeftovers(): void {
  const list = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
  for (const [, name = '', pid] of list.matchAll(/^(atrium-(\d+)-\S+)/gm))
    if (!isAlive(Number(pid))) spawnSync('ip', ['netns', 'del', name])
}

/** First three parts of addresses that nothing on this machine has. */
function freePrefix(): string {
  const taken = Object.values(networkInterfaces())
    .flat()
    .map((each) => each?.address.split('.').slice(0, 3).join('.'))
  for (;;) {
    const [second = 0, third = 0] = randomBytes(2)
    const prefix = `10.${200 + (second % 50)}.${third}`
    if (!taken.includes(prefix)) return prefix
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
