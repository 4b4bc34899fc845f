/**
 * CPU of one read by Prisma's client against the same by kysely, in turns on one database: what
 * decision record 69 rests on.
 *
 *   npx node bench/prisma.ts
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type Connection, openDatabase } from '../platform/database/database.ts'
import { prismaFiles } from '../scripts/prisma/data-model.ts'
import { withMigratedDatabase } from '../scripts/prisma/temporary-database.ts'
import type { Tables } from '../subgraphs/social/tables.ts'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, '.generated/bench-prisma')
const POSTS = 1_000
const ROUNDS = 5
const READS_PER_ROUND = 2_000

/** The part of the generated client that is measured; it does not exist before this runs. */
type Client = {
  readonly post: {
    readonly findUnique: (query: unknown) => Promise<unknown>
    readonly findMany: (query: unknown) => Promise<readonly unknown[]>
  }
  readonly $disconnect: () => Promise<void>
}

async function prismaClient(connection: Connection): Promise<Client> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const { path } of prismaFiles('social')) cpSync(join(ROOT, 'prisma/social', path), join(FOLDER, path))
  writeFileSync(
    join(FOLDER, 'client.prisma'),
    `generator client {
  provider               = "prisma-client"
  previewFeatures        = ["partialIndexes"]
  output                 = "./client"
  runtime                = "nodejs"
  moduleFormat           = "esm"
  generatedFileExtension = "ts"
  importFileExtension    = "ts"
}
`,
  )
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' }
  execFileSync('npx', ['prisma', 'generate', '--schema', FOLDER, '--generator', 'client'], { cwd: ROOT, env, stdio: 'ignore' })
  const { PrismaClient } = await import(join(FOLDER, 'client/client.ts'))
  const pool = new pg.Pool({ ...connection, options: '-c search_path=social,public', max: 10 })
  return new PrismaClient({ adapter: new PrismaPg(pool, { schema: 'social', disposeExternalPool: true }) })
}

async function fill(database: Kysely<Tables>): Promise<void> {
  await sql`INSERT INTO "user" (email, email_key, name, name_key, role) VALUES ('a@example.com', 'a@example.com', 'A', 'a', 'USER')`.execute(
    database,
  )
  await sql`INSERT INTO post (author_id, title, content, published_at)
            SELECT 1, 'Title ' || n, repeat('word ', 100), now() FROM generate_series(1, ${POSTS}) AS n`.execute(database)
}

/** Microseconds of this process's CPU per call; 10 calls run at once, as in a server. */
async function cpuPerCall(call: (id: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let first = 0; first < READS_PER_ROUND; first += 10)
    await Promise.all(Array.from({ length: 10 }, (_, index) => call(((first + index) % POSTS) + 1)))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / READS_PER_ROUND
}

await withMigratedDatabase(async (connection) => {
  const database = openDatabase<Tables>(connection, { schema: 'social', onError: console.error })
  await fill(database.query)
  const client = await prismaClient(connection)
  const query = database.query
  const pairs = {
    'one post by id': [
      (id: number) => query.selectFrom('post').selectAll().where('id', '=', String(id)).executeTakeFirst(),
      (id: number) => client.post.findUnique({ where: { id: BigInt(id) } }),
    ],
    'a page of 20 with its authors': [
      () =>
        query
          .selectFrom('post')
          .innerJoin('user', 'user.id', 'post.author_id')
          .selectAll('post')
          .select(['user.name', 'user.email'])
          .orderBy('post.ordered_at', 'desc')
          .orderBy('post.id', 'desc')
          .limit(20)
          .execute(),
      () =>
        client.post.findMany({
          include: { author: { select: { name: true, email: true } } },
          orderBy: [{ ordered_at: 'desc' }, { id: 'desc' }],
          take: 20,
        }),
    ],
  } as const
  console.log('read | kysely µs | Prisma µs | ratio (median of rounds, one warm-up)')
  for (const [name, [ours, theirs]] of Object.entries(pairs)) {
    const rounds: [number, number][] = []
    for (let round = 0; round <= ROUNDS; round++) rounds.push([await cpuPerCall(ours), await cpuPerCall(theirs)])
    const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
    const measured = rounds.slice(1)
    const [kysely, prisma] = [median(measured.map(([a]) => a)), median(measured.map(([, b]) => b))]
    const ratio = median(measured.map(([a, b]) => b / a))
    console.log(`${name} | ${kysely.toFixed(0)} | ${prisma.toFixed(0)} | ${ratio.toFixed(2)}`)
  }
  await client.$disconnect()
  await database.close()
})
