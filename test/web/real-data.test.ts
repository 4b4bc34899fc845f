import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importPaths } from '../../subgraphs/directory/import/import.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { startWeb } from './support/site.ts'

const SHARED = join(import.meta.dirname, '../../../shared/data/directory')
const isHere = existsSync(SHARED)

describe.skipIf(!isHere)(`over the real directory${isHere ? '' : ' (skipped: ../shared/data/directory is absent)'}`, () => {
  let web: Awaited<ReturnType<typeof startWeb>>
  beforeAll(async () => {
    const log = pino({ level: 'silent' })
    const { signal } = new AbortController()
    web = await startWeb({ fill: (connection) => importPaths([SHARED], { connection, log, signal }) })
  })
  afterAll(() => web?.close())

  const addresses = async (path: string) =>
    [...(await askRaw(web.url, path)).text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) =>
      (url ?? '').replaceAll('&#39;', "'").replaceAll('&amp;', '&').slice(web.url.length),
    )

  test('the sitemap has every item, and a sample of 500 of all kinds answers, each with less than 60 kB', async () => {
    const all: string[] = []
    for (const file of await addresses('/sitemap.xml')) all.push(...(await addresses(file)))
    const { tools, skills } = (await askRaw(web.url, '/api/stats')).json
    const items = all.filter((path) => /^\/(mcp|plugins|skills)\//.test(path))
    expect(items.filter((path) => path.startsWith('/mcp/'))).toHaveLength(tools)
    expect(items.filter((path) => path.startsWith('/skills/'))).toHaveLength(skills)
    const step = Math.floor(items.length / 500)
    const sample = [...items.filter((_, index) => index % step === 0), ...all.filter((path) => !items.includes(path))]
    const faults: string[] = []
    for (const path of sample) {
      const { status, bytes } = await askRaw(web.url, path, { headers: { 'accept-encoding': 'br' } })
      if (status !== 200 || bytes.length > 60_000) faults.push(`${path}: ${status}, ${bytes.length} bytes`)
    }
    expect(faults).toEqual([])
    expect(sample.length).toBeGreaterThan(500)
  }, 120_000)
})
