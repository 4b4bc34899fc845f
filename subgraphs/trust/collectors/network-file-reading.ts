import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { Reader } from 'mmdb-lib'
import { NetworkFileFault } from './network-file-fault.ts'
import { type AutonomousSystem, type NetworkTable, systemFrom, v4Number, v6Number } from './network-table.ts'

/** Bytes of a file unpacked: IPtoASN has 50 MB, a database of systems 12 MB. */
export const MAX_NETWORK_FILE_BYTES = 256_000_000
/** Ranges of both families: the public table has some 700,000. */
const MAX_RANGES = 4_000_000
/** Systems with a name each: some 85,000 route addresses, and the main thread takes over all at once. */
const MAX_SYSTEMS = 250_000
/** Lines that cannot be read, of a hundred. */
const MAX_BAD_PERCENT = 1
const MAX_ASN = 2 ** 32 - 1

type Range<N> = { readonly start: N; readonly end: N; readonly system: number }

/** Collects ranges of a file. */
function createTable() {
  const numbers = new Map<string, number>()
  const systems: AutonomousSystem[] = []
  const [v4, v6]: [Range<number>[], Range<bigint>[]] = [[], []]
  const numberOf = (system: AutonomousSystem): number => {
    const key = `${system.asn} ${system.name} ${system.isHosting}`
    const known = numbers.get(key)
    if (known !== undefined) return known
    if (systems.length === MAX_SYSTEMS) throw new NetworkFileFault('too_large', `Expected at most ${MAX_SYSTEMS} systems.`)
    numbers.set(key, systems.length)
    return systems.push(system) - 1
  }
  const bounded = () => {
    if (v4.length + v6.length > MAX_RANGES) throw new NetworkFileFault('too_large', `Expected at most ${MAX_RANGES} ranges.`)
  }
  return {
    addV4(start: number, end: number, system: AutonomousSystem) {
      v4.push({ start, end, system: numberOf(system) })
      bounded()
    },
    addV6(start: bigint, end: bigint, system: AutonomousSystem) {
      v6.push({ start, end, system: numberOf(system) })
      bounded()
    },
    done(): NetworkTable {
      if (v4.length + v6.length === 0)
        throw new NetworkFileFault('malformed', 'Expected ranges of addresses with systems, got none.')
      v4.sort((a, b) => a.start - b.start)
      v6.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))
      return {
        systems,
        v4: {
          starts: Uint32Array.from(v4, ({ start }) => start),
          ends: Uint32Array.from(v4, ({ end }) => end),
          systems: Uint32Array.from(v4, ({ system }) => system),
        },
        v6: {
          starts: BigUint64Array.from(v6, ({ start }) => start),
          ends: BigUint64Array.from(v6, ({ end }) => end),
          systems: Uint32Array.from(v6, ({ system }) => system),
        },
      }
    },
  }
}

const MMDB_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** The metadata is in the last 128 kB (https://maxmind.github.io/MaxMind-DB/). */
const MAX_METADATA_BYTES = 131_072
const GZIP_MAGIC = 0x1f8b

/**
 * Reads a file of networks whole: IPtoASN (https://iptoasn.com: start, end, number, country and name
 * between tabs, packed with gzip or not), or a MaxMind database of autonomous systems. Throws a
 * `NetworkFileFault`; run it in a thread, because a database may be made to take very long.
 */
export async function readNetworkFile(path: string): Promise<NetworkTable> {
  let file: FileHandle | null = null
  try {
    // One handle for all: the path may be another file a moment later. Without O_NONBLOCK a pipe that
    // nobody writes to would hold a thread that cannot be terminated.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const { begin, end, size } = await peek(file)
    if (end.includes(MMDB_MARKER)) return readDatabase(await wholeOf(file, size))
    return await readLines(file, begin.length >= 2 && begin.readUInt16BE(0) === GZIP_MAGIC)
  } catch (error) {
    throw faultOf(error)
  } finally {
    await file?.close()
  }
}

/** Any error as one of ours: what libraries throw about a file is the file's fault. */
function faultOf(error: unknown): NetworkFileFault {
  if (error instanceof NetworkFileFault) return error
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOENT') return new NetworkFileFault('missing', 'Expected a file, found none.')
  if (code === 'EACCES' || code === 'EISDIR' || code === 'EPERM')
    return new NetworkFileFault('unreadable', `Expected a file that can be read, got ${code}.`)
  if (code === 'Z_BUF_ERROR') return new NetworkFileFault('truncated', 'The compressed file ends in the middle.')
  return new NetworkFileFault('malformed', error instanceof Error ? error.message.slice(0, 200) : 'The file cannot be read.')
}

type Ends = { readonly begin: Buffer; readonly end: Buffer; readonly size: number }

async function peek(file: FileHandle): Promise<Ends> {
  const stats = await file.stat()
  if (!stats.isFile()) throw new NetworkFileFault('unreadable', 'Expected a file, got something else.')
  if (stats.size > MAX_NETWORK_FILE_BYTES)
    throw new NetworkFileFault('too_large', `Expected at most ${MAX_NETWORK_FILE_BYTES} bytes, got ${stats.size}.`)
  const end = Buffer.alloc(Math.min(stats.size, MAX_METADATA_BYTES))
  await file.read(end, 0, end.length, stats.size - end.length)
  const begin = Buffer.alloc(Math.min(stats.size, 2))
  await file.read(begin, 0, begin.length, 0)
  return { begin, end, size: stats.size }
}

async function wholeOf(file: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.alloc(size)
  const { bytesRead } = await file.read(content, 0, size, 0)
  if (bytesRead < size) throw new NetworkFileFault('truncated', `Expected ${size} bytes, got ${bytesRead}.`)
  return content
}

async function readLines(handle: FileHandle, isPacked: boolean): Promise<NetworkTable> {
  const table = createTable()
  const file = handle.createReadStream({ start: 0, autoClose: false })
  const text = isPacked ? file.pipe(createGunzip()) : file
  let [bytes, lines, bad, last] = [0, 0, 0, 0]
  text.on('data', (chunk: Buffer | string) => {
    bytes += chunk.length
    last = typeof chunk === 'string' ? 0 : (chunk.at(-1) ?? 0)
    if (bytes > MAX_NETWORK_FILE_BYTES)
      text.destroy(new NetworkFileFault('too_large', `Expected at most ${MAX_NETWORK_FILE_BYTES} bytes unpacked.`))
  })
  const failed = new Promise<never>((_, reject) => {
    text.once('error', reject)
    file.once('error', reject)
  })
  const read = async () => {
    for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line === '' || line.startsWith('#')) continue
      lines += 1
      if (!addLine(line, table)) bad += 1
      if (bad > 100 && bad * 100 > lines * MAX_BAD_PERCENT) break
    }
  }
  await Promise.race([read(), failed])
  if (bad * 100 > lines * MAX_BAD_PERCENT)
    throw new NetworkFileFault(
      'malformed',
      `Expected lines of IPtoASN or a MaxMind database; ${bad} of ${lines} lines are neither.`,
    )
  if (lines > 0 && last !== LINE_END_CODE)
    throw new NetworkFileFault('truncated', 'Expected a line break at the end of the file.')
  return table.done()
}

const LINE_END_CODE = 10
const V4 = /^(?:\d{1,3}\.){3}\d{1,3}$/
const V6 = /^[\da-f:.]{2,45}$/i

/** Whether a line could be read; number 0 is "not routed". */
function addLine(line: string, table: ReturnType<typeof createTable>): boolean {
  const [start = '', end = '', number = '', , name] = line.split('\t', 6)
  const asn = /^\d{1,10}$/.test(number) ? Number(number) : Number.NaN
  if (!(asn <= MAX_ASN) || name === undefined) return false
  const system = systemFrom(asn, name, null)
  if (V4.test(start) && V4.test(end)) {
    const [from, to] = [v4Number(start), v4Number(end)]
    if (from > to || to > MAX_ASN) return false
    if (asn > 0) table.addV4(from, to, system)
    return true
  }
  if (!V6.test(start) || !V6.test(end)) return false
  try {
    const [from, to] = [v6Number(start), v6Number(end)]
    if (from > to) return false
    if (asn > 0) table.addV6(from, to, system)
    return true
  } catch {
    return false
  }
}

/** Walks over all networks of the database, by the length of the prefix that each address belongs to. */
function readDatabase(content: Buffer): NetworkTable {
  const cache = new Map<number | string, unknown>()
  const reader = new Reader<object>(content, {
    cache: { get: (key) => cache.get(key), set: (key, value) => void cache.set(key, value) },
  })
  const table = createTable()
  for (let start = 0; start < 2 ** 32; ) {
    const [record, bits] = reader.getWithPrefixLength(v4Text(start))
    const size = 2 ** (32 - bits)
    const system = systemIn(record)
    if (system) table.addV4(start, start + size - 1, system)
    start += size
  }
  if (reader.metadata.ipVersion !== 6) return table.done()
  for (let start = FIRST_V6; start <= LAST_V6; ) {
    const [record, bits] = reader.getWithPrefixLength(v6Text(start))
    // Smaller networks than 64 bits count as that.
    const size = 1n << BigInt(64 - Math.min(bits, 64))
    const system = systemIn(record)
    if (system) table.addV6(start, start + size - 1n, system)
    start += size
  }
  return table.done()
}

/** 2000::/3, where all public addresses are (RFC 4291 §2.4). */
const [FIRST_V6, LAST_V6] = [0x2000_0000_0000_0000n, 0x3fff_ffff_ffff_ffffn]

const v4Text = (number: number): string => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
const v6Text = (number: bigint): string =>
  `${[48n, 32n, 16n, 0n].map((shift) => ((number >> shift) & 0xffffn).toString(16)).join(':')}::`

/** The fields of GeoLite2 ASN, DB-IP and of the larger databases; null for a record without a system. */
function systemIn(record: object | null): AutonomousSystem | null {
  const fields: Readonly<Record<string, unknown>> = { ...record }
  const asn = fields.autonomous_system_number
  if (typeof asn !== 'number' || !Number.isInteger(asn) || asn < 1 || asn > MAX_ASN) return null
  const { autonomous_system_organization: name, is_hosting_provider: isHosting } = fields
  return systemFrom(asn, typeof name === 'string' ? name : null, typeof isHosting === 'boolean' ? isHosting : null)
}
