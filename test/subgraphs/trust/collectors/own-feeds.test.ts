import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { jsonDocument, plainLines } from '../../../../subgraphs/trust/collectors/feed-formats.ts'
import { ownFeedLists } from '../../../../subgraphs/trust/collectors/lists.ts'
import { startTrust } from './support/trust.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-feeds-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readLines = (...lines: readonly string[]) => {
  const read = plainLines.kind === 'lines' ? plainLines.reader() : () => null
  return lines.map((line) => {
    const entry = read(line)
    return entry === null || entry === 'nothing' ? entry : `${entry.scope} ${entry.key}`
  })
}
const readJson = (json: unknown) =>
  (jsonDocument.kind === 'document' ? jsonDocument.read(json) : null)?.map(
    ({ scope, key, category }) => `${scope} ${key} ${category}`,
  )

test('lines of every common form, and none that would list half of the world', () => {
  expect(
    readLines(
      'name,seen',
      '# comment',
      'evil.example.com',
      '0.0.0.0 ads.example.net # why',
      '127.0.0.1 localhost',
      '||tracker.example.org^$third-party',
      '17,"https://evil.example.com/x.exe",2026',
      'hxxp://evil[.]example[.]com/',
      'com',
      'github.io',
      '10.0.0.1',
      'no indicator here',
    ),
  ).toEqual([
    'nothing',
    'nothing',
    'host evil.example.com',
    'host ads.example.net',
    'nothing',
    'domain tracker.example.org',
    'url evil.example.com',
    'host evil.example.com',
    null,
    null,
    null,
    null,
  ])
})

test('lists, STIX 2.1, TAXII 2.1 and MISP; whatever is of another kind is none', () => {
  expect(readJson(['a.example.com', { domain: 'b.example.com', threat: 'phishing' }, { other: 1 }, 7])).toEqual([
    'host a.example.com other',
    'domain b.example.com phishing',
  ])
  const indicator = {
    type: 'indicator',
    pattern_type: 'stix',
    indicator_types: ['malicious-activity'],
    modified: '2026-11-01T00:00:00Z',
  }
  const objects = [
    { ...indicator, pattern: "[domain-name:value = 'c.example.com' OR url:value = 'http://d.example.com/x']" },
    { ...indicator, pattern: "[domain-name:value = 'e.example.com' AND file:size = 3]" },
    { ...indicator, revoked: true, pattern: "[domain-name:value = 'f.example.com']" },
    { type: 'malware' },
  ]
  expect(readJson({ type: 'bundle', objects })).toEqual(['domain c.example.com malware', 'url d.example.com malware'])
  expect(readJson({ more: false, objects })).toHaveLength(2)
  const Attribute = [
    { type: 'domain|ip', value: 'g.example.com|192.0.2.7', to_ids: true, timestamp: '1790000000' },
    { type: 'url', value: 'http://h.example.com/y', to_ids: false },
    { type: 'md5', value: 'd41d8cd98f00b204e9800998ecf8427e' },
  ]
  expect(readJson({ Event: { Attribute, Object: [{ Attribute: [{ type: 'hostname', value: 'i.example.com' }] }] } })).toEqual([
    'domain g.example.com other',
    'host i.example.com other',
  ])
  expect(readJson({ response: [{ Event: { Attribute } }] })).toHaveLength(1)
  for (const other of [null, 7, 'x', {}, { objects: 3 }]) expect(readJson(other) ?? []).toEqual([])
})

test('a file of the operator is a feed like any other, with its state', async () => {
  const file = join(folder, 'soc.txt')
  writeFileSync(file, 'evil.example.com\n')
  const feeds = [
    { name: 'soc', url: pathToFileURL(file).href, isJson: false },
    { name: 'gone', url: pathToFileURL(join(folder, 'gone.json')).href, isJson: true },
  ]
  const trust = await startTrust({ dns: null, lists: ownFeedLists(feeds) })
  try {
    await trust.refreshLists()
    expect(await trust.ask('feeds', 'evil.example.com', 'example.com')).toMatchObject({
      status: 'ok',
      facts: { hits: [{ feed: 'own-soc', lineage: 'own-soc', indicator: 'evil.example.com' }], failed: [{ feed: 'own-gone' }] },
    })
    const states = (await trust.status()).filter(({ name }) => name.startsWith('own-'))
    expect(states).toEqual([
      { name: 'own-soc', state: 'up', reason: null },
      { name: 'own-gone', state: 'down', reason: 'the file cannot be read' },
    ])
  } finally {
    await trust.close()
  }
})
