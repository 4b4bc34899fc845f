import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type ExecutionResult, graphql } from 'graphql'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Connection, openDatabase } from '../../../../platform/database/database.ts'
import {
  OtherVersion,
  readCatalogueFile,
  writeCatalogueFile,
} from '../../../../subgraphs/directory/catalogue-file/catalogue-file.ts'
import { type CatalogueStore, catalogueStore } from '../../../../subgraphs/directory/catalogue-file/catalogue-store.ts'
import { codeVersion, FOLDERS } from '../../../../subgraphs/directory/catalogue-file/code-version.ts'
import { LOCK_EXPIRY_MS } from '../../../../subgraphs/directory/catalogue-file/file-lock.ts'
import { BrokenFrames, writeFrames } from '../../../../subgraphs/directory/catalogue-file/frames.ts'
import { prepareCatalogue } from '../../../../subgraphs/directory/catalogue-file/prepare.ts'
import { importPaths } from '../../../../subgraphs/directory/import/import.ts'
import { type Catalogue, catalogueOf, changedCatalogue } from '../../../../subgraphs/directory/item/catalogue.ts'
import type { Item } from '../../../../subgraphs/directory/item/item.ts'
import { itemRepository } from '../../../../subgraphs/directory/item/repository.ts'
import { matching } from '../../../../subgraphs/directory/search/matching.ts'
import { safeNames } from '../../../../subgraphs/directory/server-features/findings.ts'
import { directorySubgraph } from '../../../../subgraphs/directory/subgraph.ts'
import type { Tables } from '../../../../subgraphs/directory/tables.ts'
import { createPace } from '../../../../subgraphs/directory/word-index/pace.ts'
import { freshDatabase } from '../../../support/database.ts'
import { aServer, aSkill, putItems } from '../../../support/items.ts'
import { answersOf, changesOf, generator, snapshotOf } from '../catalogue-answers.ts'

const SHARED = join(import.meta.dirname, '../../../../../shared/data/directory')
const log = pino({ level: 'silent' })
const { signal } = new AbortController()
const version = 'this code'
/** Names of the file and the lock of the code that runs. */
const FILE = `catalogue-${(await codeVersion()).slice(0, 16)}`
const LOCK = `${FILE}.lock`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-catalogue-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
const newPath = () => join(folder, `catalogue-${files++}`)

/** The catalogue as a later process reads it. */
async function throughFile(catalogue: Catalogue): Promise<Catalogue> {
  const path = newPath()
  await writeCatalogueFile(path, catalogue, { version, signal })
  return readCatalogueFile(path, { version })
}

/** Texts of which encodings, tables and keys break: halves of characters, names of inherited keys, signs of JSON. */
function hostileItems(): Item[] {
  const { item } = generator(17)
  const names = [
    // The cut of a word at 40 units is in the middle of a character.
    `a${'𐌰'.repeat(60)}`,
    'ÿéßøÆ Straße ſ ﬁ K İ ı',
    '__proto__ constructor hasOwnProperty toString',
    '数据库查询 ไทย データベース',
    `${'x'.repeat(5_000)}Ünïcode${'ß'.repeat(3_000)}Wörter`,
    '"quotes" \\ back\u2028slash \u0001 \u{1F600}👩‍👩‍👧 ‮rtl',
    'aS_b C++ .net c# f# ΑΣ ας',
    '',
    ' ',
  ]
  return names.map((name, at) => ({
    ...item(at),
    name,
    description: `${name} ${name.split('').toReversed().join('').toWellFormed()}`,
    tags: ['__proto__', 'constructor', name],
    category: name || '__proto__',
    popularity: [0, 1, 2 ** 53, 0.5][at % 4] as number,
    createdAt: new Date(at === 0 ? -8.64e15 : 8.64e15 - at),
    ...(at % 3 === 0 && {
      toolNames: ['__proto__', 'toString', name],
      transport: 'stdio' as const,
      installCommand: `npx ${name}`,
      installations: [`npx ${name}`, name].map((command) => ({ command, transport: 'stdio' as const })),
    }),
  }))
}

describe('a catalogue in a file', () => {
  test('is read as it was written, with items of all kinds and hostile texts', async () => {
    const { item } = generator(23)
    const items = [...hostileItems(), ...Array.from({ length: 700 }, (_, id) => item(id + 100))]
    const catalogue = await catalogueOf(snapshotOf(items, 4))
    const read = await throughFile(catalogue)
    expect(read.revision).toEqual(catalogue.revision)
    expect(read.counts).toEqual(catalogue.counts)
    expect(read.items).toStrictEqual(catalogue.items)
    expect(read.words.words).toEqual(catalogue.words.words)
    expect(read.quality).toEqual(catalogue.quality)
    const ids = items.map(({ id }) => id)
    expect(await answersOf(read, ids)).toEqual(await answersOf(catalogue, ids))
    for (const { name } of hostileItems()) {
      const found = (from: Catalogue) => matching(name.slice(0, 60) || 'none', from, { argument: 'query', accepts: null })
      expect(found(read)).toEqual(found(catalogue))
    }
  })

  test('has the items that were written when they share more texts than are numbered at once', async () => {
    const { item } = generator(37)
    const [shared] = hostileItems()
    const items = Array.from({ length: 1_500 }, (_, id) => ({
      ...item(id),
      tags: Array.from({ length: 40 }, (__, tag) => `tag ${id * 40 + tag}`),
      category: id % 2 === 0 ? (shared?.category ?? '') : `category ${id}`,
    }))
    const catalogue = await catalogueOf(snapshotOf(items))
    expect((await throughFile(catalogue)).items).toStrictEqual(catalogue.items)
  })

  test('takes over changes as the one that was written, also with numbers that are free', async () => {
    const { item } = generator(29)
    const items = new Map(
      [...hostileItems(), ...Array.from({ length: 400 }, (_, id) => item(id + 100))].map((one) => [one.id, one]),
    )
    let catalogue = await catalogueOf(snapshotOf([...items.values()]))
    for (let number = 1; number <= 4; number += 1) {
      const removed = [String(number), String(100 + number * 7), String(200 + number)]
      const changed = [item(300 + number), item(1_000 + number), item(101 + number)]
      for (const id of removed) items.delete(id)
      for (const one of changed) items.set(one.id, one)
      const next = await changedCatalogue(await throughFile(catalogue), changesOf(changed, removed, number))
      if (!next) throw new Error('Expected the changes to be few.')
      catalogue = next
      const ids = Array.from({ length: 1_010 }, (_, id) => String(id))
      const anew = await catalogueOf(snapshotOf([...items.values()], number))
      expect(await answersOf(await throughFile(catalogue), ids)).toEqual(await answersOf(anew, ids))
    }
  })

  test('is written and read in slices of about 100 records', async () => {
    const { item } = generator(43)
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 10_000 }, (_, id) => item(id))))
    const slices: number[] = []
    // No time passes: slices end by what was done alone, and are as many on each machine.
    const pace = createPace(
      (records) => slices.push(records),
      () => 0,
    )
    const path = newPath()
    await writeCatalogueFile(path, catalogue, { version, signal, pace })
    const written = slices.length
    expect(written).toBeGreaterThan(10)
    await readCatalogueFile(path, { version, pace })
    expect(slices.length - written).toBeGreaterThan(10)
    expect(Math.min(...slices)).toBeGreaterThanOrEqual(100)
    expect(Math.max(...slices)).toBeLessThan(200)
  })

  test('of an empty directory is read', async () => {
    const read = await throughFile(await catalogueOf(snapshotOf([])))
    expect([read.size, read.list('SKILL'), read.newest()]).toEqual([0, [], []])
  })

  test('is refused when a byte is another one, when it ends early or goes on, and when it is too large', async () => {
    const { item } = generator(31)
    const [path, other] = [newPath(), newPath()]
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 60 }, (_, id) => item(id))))
    await writeCatalogueFile(path, catalogue, { version, signal })
    const bytes = await readFile(path)
    const refused = async () => {
      const fault = await readCatalogueFile(other, { version }).catch((error: unknown) => error)
      expect(fault instanceof BrokenFrames || fault instanceof OtherVersion).toBe(true)
    }
    const places = Array.from({ length: 40 }, (_, at) => Math.floor((at * (bytes.length - 1)) / 39))
    for (const place of [0, 7, 8, 9, ...places]) {
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] as number) ^ 0x10
      await writeFile(other, changed)
      await refused()
      await copyFile(path, other)
      await truncate(other, place)
      await refused()
    }
    await writeFile(other, Buffer.concat([bytes, bytes.subarray(0, 100)]))
    await refused()
    for (const text of ['', 'null', '{}', 'x'.repeat(200)]) {
      await writeFile(other, text)
      await refused()
    }
    await expect(readCatalogueFile(path, { version, maxBytes: bytes.length - 1 })).rejects.toThrow('Expected at most')
    expect((await readCatalogueFile(path, { version, maxBytes: bytes.length })).size).toBe(60)
  })

  test('is not written when it would be larger than what is read', async () => {
    const catalogue = await catalogueOf(snapshotOf([]))
    const path = newPath()
    await writeCatalogueFile(path, catalogue, { version, signal })
    const { size } = await stat(path)
    await writeCatalogueFile(newPath(), catalogue, { version, signal, maxBytes: size })
    const tooLarge = writeCatalogueFile(newPath(), catalogue, { version, signal, maxBytes: size - 1 })
    await expect(tooLarge).rejects.toThrow(`Expected at most ${size - 1} bytes`)
  })

  test('is refused by the length of its first frame, before that is read', async () => {
    const path = newPath()
    const first = Buffer.from(JSON.stringify({ version, filler: 'x'.repeat(10_000) }))
    await writeFrames(path, ({ write }) => write(first), { maxBytes: 1e6, check: () => {} })
    await expect(readCatalogueFile(path, { version })).rejects.toThrow('Expected a frame of at most 10000 bytes')
  })

  test('is not written on when the process ends', async () => {
    const { item } = generator(47)
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 3_000 }, (_, id) => item(id))))
    const path = newPath()
    const ending = new AbortController()
    let slices = 0
    const pace = createPace(() => {
      slices += 1
      // Behind the times and the first hundreds of items.
      if (existsSync(path) && readFileSync(path).length > 100_000) ending.abort(new Error('The end.'))
    })
    await expect(writeCatalogueFile(path, catalogue, { version, signal: ending.signal, pace })).rejects.toThrow('The end.')
    expect(slices).toBeGreaterThan(1)
    await expect(readCatalogueFile(path, { version })).rejects.toThrow(BrokenFrames)
  })

  test('of other code is not read, and the version says which code it is', async () => {
    const path = newPath()
    await writeCatalogueFile(path, await catalogueOf(snapshotOf([])), { version, signal })
    await expect(readCatalogueFile(path, { version: 'newer code' })).rejects.toThrow(OtherVersion)
    expect(await codeVersion()).toBe(await codeVersion())
    expect(await codeVersion()).toMatch(/^[0-9a-f]{64}$/)
    // An update of the files below a process that runs.
    await expect(codeVersion(0)).rejects.toThrow('to be older than this process')
  })

  test('has a version of all code that makes catalogues', () => {
    const root = join(import.meta.dirname, '../../../..')
    const loaded = new Set<string>()
    const load = (file: string): void => {
      if (loaded.has(file)) return
      loaded.add(file)
      const source = readFileSync(join(root, file), 'utf8')
      for (const [, name = ''] of source.matchAll(/^(?:import|export) (?!type )(?:[^'";]*? from )?'(\.[^']+)'/gm))
        load(relative(root, join(root, dirname(file), name)))
    }
    const item = 'subgraphs/directory/item'
    for (const file of [`${item}/newest-catalogue.ts`, `${item}/repository.ts`, 'platform/database/type-parsers.ts']) load(file)
    for (const file of ['catalogue-file/catalogue-store.ts', 'server-features/findings.ts']) load(`subgraphs/directory/${file}`)
    expect(loaded.size).toBeGreaterThan(30)
    // Errors of requests are no part of a catalogue.
    const others = [...loaded].filter((file) => file !== 'platform/graphql/errors.ts')
    expect(others.filter((file) => !FOLDERS.some((folder) => file.startsWith(`${folder}/`)))).toEqual([])
  })

  test('that is not written to its end leaves nothing, and one that is in use stays', async () => {
    const { item } = generator(37)
    const own = join(folder, 'stopped')
    const small = await catalogueOf(snapshotOf(Array.from({ length: 50 }, (_, id) => item(id))))
    const large = await catalogueOf(
      snapshotOf(
        Array.from({ length: 3_000 }, (_, id) => item(id)),
        1,
      ),
    )
    const store = catalogueStore(own, log, 0)
    store.offer(small, Number.POSITIVE_INFINITY)
    await store.idle()
    store.offer(large, Number.POSITIVE_INFINITY)
    await store.close()
    expect(await readdir(own)).toEqual([FILE])
    expect((await catalogueStore(own, log, 0).read())?.size).toBe(50)
    expect((await stat(join(own, FILE))).mode & 0o077).toBe(0)
    // What a process left behind that was killed, and what another one is writing.
    const parts = [`${FILE}.1.part`, `${FILE}.2.part`] as const
    for (const part of parts) await writeFile(join(own, part), 'half')
    const longAgo = new Date(Date.now() - 120_000)
    await utimes(join(own, parts[0]), longAgo, longAgo)
    const next = catalogueStore(own, log, 0)
    next.offer(large, Number.POSITIVE_INFINITY)
    await next.idle()
    expect((await readdir(own)).toSorted()).toEqual([FILE, parts[1]])
    expect((await next.read())?.size).toBe(3_000)
  })

  test('is written by one of several processes that share the folder', async () => {
    const { item } = generator(53)
    const own = join(folder, 'shared')
    const lines: string[] = []
    const warner = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 500 }, (_, id) => item(id))))
    const stores = [1, 2, 3].map(() => catalogueStore(own, warner, 0))
    for (const store of stores) store.offer(catalogue, Number.POSITIVE_INFINITY)
    await Promise.all(stores.map((store) => store.idle()))
    // One that comes later finds what it would write.
    const late = catalogueStore(own, warner, 0)
    late.offer(catalogue, Number.POSITIVE_INFINITY)
    await late.idle()
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['the catalogue of the directory was written to a file'])
    expect(await readdir(own)).toEqual([FILE])
    expect((await catalogueStore(own, log, 0).read())?.size).toBe(500)
  })

  test('is written behind the next change when another process held the lock, and at once when that one was killed', async () => {
    const { item } = generator(61)
    const own = join(folder, 'locked')
    const lock = join(own, LOCK)
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 50 }, (_, id) => item(id))))
    const offer = async (store: CatalogueStore) => {
      store.offer(catalogue, 0)
      await store.idle()
      return existsSync(join(own, FILE))
    }
    await mkdir(own)
    await writeFile(lock, 'another process')
    const store = catalogueStore(own, log, 0)
    expect(await offer(store)).toBe(false)
    expect(await readFile(lock, 'utf8')).toBe('another process')
    await rm(lock)
    expect(await offer(store)).toBe(true)
    await rm(join(own, FILE))
    await writeFile(lock, 'a killed process')
    const longAgo = new Date(Date.now() - LOCK_EXPIRY_MS - 1_000)
    await utimes(lock, longAgo, longAgo)
    expect(await offer(catalogueStore(own, log, 0))).toBe(true)
    expect(await readdir(own)).toEqual([FILE])
  })

  test('that another process wrote is not written again behind the next change, but behind many, and in place of one of other code', async () => {
    const { item } = generator(67)
    const own = join(folder, 'missed')
    const lock = join(own, LOCK)
    const at = (number: number) =>
      catalogueOf(
        snapshotOf(
          Array.from({ length: 100 }, (_, id) => item(id)),
          number,
        ),
      )
    const written = async () => (await catalogueStore(own, log, 0).read())?.revision.number
    await mkdir(own)
    await writeCatalogueFile(join(own, FILE), await at(0), { version: 'other code', signal })
    const [writer, other] = [catalogueStore(own, log, 0), catalogueStore(own, log, 0)]
    for (const store of [writer, other]) expect(await store.read()).toBeNull()
    const offer = async (store: CatalogueStore, number: number, changed: number) => {
      store.offer(await at(number), changed)
      await store.idle()
      return written()
    }
    await writeFile(lock, 'a process that writes')
    expect(await offer(other, 1, Number.POSITIVE_INFINITY)).toBeUndefined()
    expect(await offer(other, 2, 2)).toBeUndefined()
    await rm(lock)
    expect(await offer(writer, 1, Number.POSITIVE_INFINITY)).toBe('1')
    expect(await offer(other, 3, 2)).toBe('1')
    expect(await offer(other, 4, 1)).toBe('1')
    expect(await offer(other, 5, 1)).toBe('5')
  })

  test('is that of the last catalogue, also when it was built while another was written', async () => {
    const { item } = generator(59)
    const own = join(folder, 'meanwhile')
    const store = catalogueStore(own, log, 0)
    const catalogues: Catalogue[] = []
    for (const [number, size] of [10, 20, 300].entries()) {
      const items = Array.from({ length: size }, (_, id) => item(id))
      catalogues.push(await catalogueOf(snapshotOf(items, number)))
    }
    for (const catalogue of catalogues) store.offer(catalogue, Number.POSITIVE_INFINITY)
    await store.idle()
    expect((await catalogueStore(own, log, 0).read())?.size).toBe(300)
  })

  test('of the code before an upgrade stays beside that of the new code, and no older one', async () => {
    const { item } = generator(71)
    const own = join(folder, 'upgrade')
    const catalogue = await catalogueOf(snapshotOf(Array.from({ length: 50 }, (_, id) => item(id))))
    await mkdir(own)
    const others = ['catalogue', 'catalogue-00000000000000aa', 'catalogue-00000000000000bb']
    for (const [days, name] of others.entries()) {
      await writeFile(join(own, name), 'of other code')
      const time = new Date(Date.now() - (4 - days) * 86_400_000)
      await utimes(join(own, name), time, time)
    }
    await writeFile(join(own, 'catalogue-of-somebody'), 'no file of ours')
    const store = catalogueStore(own, log, 0)
    expect(await store.read()).toBeNull()
    expect(await store.holds(catalogue).catch(() => false)).toBe(false)
    store.offer(catalogue, Number.POSITIVE_INFINITY)
    await store.idle()
    expect((await readdir(own)).toSorted()).toEqual(['catalogue-00000000000000bb', FILE, 'catalogue-of-somebody'].toSorted())
    expect(await store.holds(catalogue)).toBe(true)
    // Another machine with the same code.
    const copy = join(folder, 'copy')
    await mkdir(copy)
    await copyFile(join(own, FILE), join(copy, FILE))
    expect((await catalogueStore(copy, log, 0).read())?.size).toBe(50)
  })

  test('is written again when a twentieth of the items have changed, and not for few', async () => {
    const { item } = generator(41)
    const own = join(folder, 'again')
    const store = catalogueStore(own, log, 0)
    const at = async (number: number) =>
      catalogueOf(
        snapshotOf(
          Array.from({ length: 100 }, (_, id) => item(id)),
          number,
        ),
      )
    const written = async () => (await catalogueStore(own, log, 0).read())?.revision.number
    for (const [number, changed, wanted] of [
      [1, Number.POSITIVE_INFINITY, '1'],
      [2, 3, '1'],
      [3, 2, '1'],
      [4, 1, '4'],
      [504, 0, '4'],
      [505, 0, '505'],
      [3, 0, '3'],
    ] as const) {
      store.offer(await at(number), changed)
      await store.idle()
      expect(await written()).toBe(wanted)
    }
    const many = catalogueStore(join(folder, 'few'), log)
    many.offer(await at(1), Number.POSITIVE_INFINITY)
    await many.idle()
    expect(existsSync(join(folder, 'few'))).toBe(false)
  })

  test('that cannot be written is a warning, once', async () => {
    const warnings: string[] = []
    const warner = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) })
    const blocked = join(folder, 'a-file')
    await writeFile(blocked, '')
    const store = catalogueStore(join(blocked, 'below'), warner, 0)
    const catalogue = await catalogueOf(snapshotOf([]))
    store.offer(catalogue, Number.POSITIVE_INFINITY)
    await store.idle()
    store.offer(catalogue, 0)
    await store.idle()
    expect(warnings.length).toBe(1)
    expect(await store.read()).toBeNull()
  })
})

describe('a start from the file', () => {
  let connection: Connection
  let drop: () => Promise<void>
  beforeAll(async () => {
    const database = await freshDatabase()
    connection = database.connection
    drop = database.drop
    await putItems(connection, [aServer('a/xylophone', { description: 'first' }), aSkill('trombone')])
  })
  afterAll(() => drop())

  /** Starts a process' subgraph, asks it, waits for its file, and ends it. */
  async function started(
    own: string,
    query = 'xylophone trombone',
  ): Promise<{ readonly names: readonly string[]; readonly fromFile: string | null }> {
    let fromFile: string | null = null
    const store: CatalogueStore = catalogueStore(own, log, 0)
    const stored: CatalogueStore = {
      ...store,
      read: async () => {
        const catalogue = await store.read()
        fromFile = catalogue?.revision.number ?? null
        return catalogue
      },
    }
    const subgraph = await directorySubgraph({ connection, publicUrl: 'https://atrium.example', log, stored })
    const contextValue = subgraph.context({ requestId: 'test', address: '127.0.0.1', credentials: {} })
    const source = 'query ($query: String!) { search(query: $query, first: 100) { edges { node { name description } } } }'
    const variableValues = { query }
    const { data } = (await graphql({ schema: subgraph.schema, source, variableValues, contextValue })) as ExecutionResult<{
      search: { edges: { node: { name: string; description: string } }[] }
    }>
    await store.idle()
    await subgraph.close()
    const names = data?.search.edges.map(({ node }) => `${node.name} ${node.description}`.trim()) ?? []
    return { names: names.toSorted(), fromFile }
  }

  async function change(...statements: readonly string[]): Promise<void> {
    const client = new pg.Client({ ...connection, options: '-c search_path=directory,public' })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  test('serves what the database has: with changes since, and anew when the file is broken or the database was restored', async () => {
    const own = join(folder, 'subgraph')
    expect(await started(own)).toEqual({ names: ['trombone', 'xylophone first'], fromFile: null })
    expect(await started(own)).toEqual({ names: ['trombone', 'xylophone first'], fromFile: expect.any(String) })
    await putItems(connection, [aServer('a/xylophone', { description: 'second' }), aServer('b/xylophone')])
    const changed = ['trombone', 'xylophone', 'xylophone second']
    expect(await started(own)).toEqual({ names: changed, fromFile: expect.any(String) })
    // Without a new revision rows are not read again: what is served is that of the file.
    await change(`UPDATE item SET description = 'by hand' WHERE key = 'a/xylophone'`)
    expect(await started(own)).toEqual({ names: changed, fromFile: expect.any(String) })
    const mark = '00000000-0000-4000-8000-000000000000'
    // A backup of another time: the same number of the revision means other items.
    await change(
      `UPDATE item SET description = 'restored' WHERE key = 'a/xylophone'`,
      `UPDATE past_revision SET mark = '${mark}' WHERE number = (SELECT number FROM revision)`,
      'ALTER TABLE revision DISABLE TRIGGER USER',
      `UPDATE revision SET mark = '${mark}'`,
      'ALTER TABLE revision ENABLE TRIGGER USER',
    )
    const restored = ['trombone', 'xylophone', 'xylophone restored']
    expect(await started(own)).toEqual({ names: restored, fromFile: expect.any(String) })
    const bytes = await readFile(join(own, FILE))
    bytes[bytes.length >>> 1] = (bytes[bytes.length >>> 1] as number) ^ 1
    await writeFile(join(own, FILE), bytes)
    expect(await started(own)).toEqual({ names: restored, fromFile: null })
    expect(await started(own)).toEqual({ names: restored, fromFile: expect.any(String) })
    // The file of another database.
    await change(
      'ALTER TABLE revision DISABLE TRIGGER USER',
      `UPDATE revision SET dataset = gen_random_uuid()`,
      `DELETE FROM item WHERE key = 'b/xylophone'`,
    )
    expect((await started(own)).names).toEqual(['trombone', 'xylophone restored'])
  })

  test('has none of the items that were removed since, and the file is written again behind a twentieth of them', async () => {
    const own = join(folder, 'removed')
    // The test before has put the database back in time.
    await change('ALTER TABLE revision ENABLE TRIGGER USER')
    await putItems(
      connection,
      Array.from({ length: 60 }, (_, at) => aSkill(`bassoon-${at}`)),
    )
    const inFile = async () =>
      (await catalogueStore(own, log, 0).read())?.items.flatMap((item) => (item?.key.startsWith('bassoon') ? item.key : []))
        .length
    await started(own)
    expect(await inFile()).toBe(60)
    const remove = (...keys: readonly string[]) =>
      change(
        'UPDATE revision SET number = number + 1, changed_at = now()',
        `UPDATE item SET removed_at = now(), revision = (SELECT number FROM revision) WHERE key IN ('${keys.join("', '")}')`,
      )
    const served = async () => {
      const { names, fromFile } = await started(own, 'bassoon')
      return { count: names.length, isFromFile: fromFile !== null }
    }
    await remove('bassoon-1')
    expect(await served()).toEqual({ count: 59, isFromFile: true })
    // It stands in the file, and every start leaves it out.
    expect(await inFile()).toBe(60)
    expect(await served()).toEqual({ count: 59, isFromFile: true })
    await remove('bassoon-2', 'bassoon-3', 'bassoon-4')
    expect(await served()).toEqual({ count: 56, isFromFile: true })
    expect(await inFile()).toBe(56)
    expect(await served()).toEqual({ count: 56, isFromFile: true })
  })

  test('has its file before, also behind an import while nothing ran, where it was prepared', async () => {
    const own = join(folder, 'prepared')
    const prepared = async (minItems = 0) => {
      const opened = openDatabase<Tables>(connection, { schema: 'directory', onError: () => {} })
      const stored = catalogueStore(own, log, 0)
      const items = itemRepository(opened.query, safeNames)
      return prepareCatalogue({ items, stored, minItems, signal }).finally(opened.close)
    }
    expect((await prepared(1_000_000)).status).toBe('small')
    expect(existsSync(own)).toBe(false)
    const { status, items, revision } = await prepared()
    expect([status, items > 0]).toEqual(['written', true])
    expect((await started(own)).fromFile).toBe(revision)
    expect(await prepared()).toEqual({ status: 'current', items, revision })
    await putItems(
      connection,
      Array.from({ length: 10 }, (_, at) => aSkill(`oboe-${at}`)),
    )
    const next = await prepared()
    expect(next).toEqual({ status: 'written', items: items + 10, revision: expect.any(String) })
    expect(next.revision).not.toBe(revision)
    const { names, fromFile } = await started(own, 'oboe')
    expect([names.length, fromFile]).toEqual([10, next.revision])
    const bytes = await readFile(join(own, FILE))
    await writeFile(join(own, FILE), bytes.subarray(0, -1))
    expect((await prepared()).status).toBe('written')
    expect((await readFile(join(own, FILE))).length).toBe(bytes.length)
    await rm(own, { recursive: true })
    await writeFile(own, 'no folder')
    expect((await prepared()).status).toBe('unwritten')
  })

  test('reads no more changes than are applied', async () => {
    const opened = openDatabase<Tables>(connection, { schema: 'directory', onError: () => {} })
    try {
      const items = itemRepository(opened.query, safeNames)
      const known = await items.currentRevision()
      await putItems(connection, [aSkill('tuba'), aSkill('cornet')])
      expect((await items.changesBehindRevision(known, 2))?.items.length).toBe(2)
      expect(await items.changesBehindRevision(known, 1)).toBeNull()
    } finally {
      await opened.close()
    }
  })
})

const absent = existsSync(SHARED) ? '' : ' (skipped: ../shared/data/directory is absent)'
describe.skipIf(absent !== '')(`real data${absent}`, () => {
  test('is answered from the file as from the database', async () => {
    const database = await freshDatabase()
    try {
      await importPaths([SHARED], { connection: database.connection, log, signal })
      const opened = openDatabase<Tables>(database.connection, { schema: 'directory', onError: () => {} })
      const catalogue = await catalogueOf(await itemRepository(opened.query, safeNames).snapshot())
      await opened.close()
      const read = await throughFile(catalogue)
      expect(read.size).toBeGreaterThan(5_000)
      expect(read.items).toStrictEqual(catalogue.items)
      const ids = catalogue.items.flatMap((item, number) => (item && number % 50 === 0 ? [item.id] : []))
      expect(await answersOf(read, ids)).toEqual(await answersOf(catalogue, ids))
    } finally {
      await database.drop()
    }
  })
})
