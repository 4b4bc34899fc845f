import { afterEach, expect, test } from 'vitest'
import { rankedNames } from '../../../../subgraphs/trust/collectors/list-formats.ts'
import { popularNames } from '../../../../subgraphs/trust/collectors/popular-names.ts'
import { startHttpServer, text } from '../../../support/http-server.ts'
import { aList, startTrust, type TrustOptions } from './support/trust.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
const trustWith = async (options: Partial<TrustOptions>) => {
  const trust = await startTrust({ dns: null, shippedNames: popularNames, ...options })
  cleanups.push(trust.close)
  return trust
}

test('names that ship have the upper end of their step as rank, and others none', async () => {
  const { rankOf } = await popularNames()
  expect(['google.com', 'paypal.com', 'bbc.co.uk', 'quiet-garden-of-mine.net', 'com', ''].map(rankOf)).toEqual([
    1_000,
    10_000,
    10_000,
    null,
    null,
    null,
  ])
})

test('a name whose hash is in the larger table has no rank and is no slip, but may lure: names that collide are found', async () => {
  const { namesWith, rankOf, neighboursOf } = await popularNames()
  // The first is popular. The others were found in eight seconds of 10,669,963 tries.
  const [popular, ...found] = ['totalsportek7.com', 'paypal-login-3zdky.com', 'paypal-login-6cozu.com']
  expect(namesWith('totalsportek7')).toContainEqual({ name: popular, rank: 1_000_000 })
  expect([popular, ...found].map(rankOf)).toEqual([null, null, null])
  expect(neighboursOf(popular).filter(({ relation }) => relation !== 'contains')).toEqual([])
  expect(neighboursOf('totalsportek7.net').map(({ relation }) => relation)).toContain('edit')
  const trust = await trustWith({})
  for (const name of found)
    expect(await trust.ask('popularity', name)).toMatchObject({
      facts: { ranks: [], neighbours: [{ name: 'paypal.com', relation: 'contains' }, { relation: 'contains' }] },
    })
})

test('a name is near the popular ones that it contains or misses by a letter', async () => {
  const { neighboursOf } = await popularNames()
  expect(neighboursOf('canva-login.top').slice(0, 1)).toEqual([
    { name: 'canva.com', rank: 10_000, relation: 'contains', rest: 'login' },
  ])
  const edited = { name: 'steamcommunity.com', rank: 10_000, relation: 'edit', rest: '' }
  expect(neighboursOf('steamcommunlty.com').filter(({ relation }) => relation === 'edit')).toEqual([edited])
  expect(neighboursOf('xn--e1awd7f.com')).toEqual([])
  expect(neighboursOf(`${'a'.repeat(63)}.com`)).toEqual([])
})

test('without a network the shipped names answer, and say so', async () => {
  const trust = await trustWith({})
  expect(await trust.ask('popularity', 'google.com')).toMatchObject({
    status: 'ok',
    version: 'shipped 2025-12-23',
    facts: { ranks: [{ list: 'shipped', rank: 1_000 }] },
  })
  expect(await trust.ask('popularity', 'quiet-garden-of-mine.net')).toMatchObject({ status: 'ok', facts: { ranks: [] } })
})

test('a downloaded list takes their place: a name that has fallen out has no rank', async () => {
  const server = await startHttpServer({ '/top.csv': text('1,google.com\n7,quiet-garden.net\n') })
  cleanups.push(server.close)
  const list = aList({ name: 'tranco', kind: 'popularity', url: `${server.url}/top.csv`, format: rankedNames })
  const trust = await trustWith({ lists: [list], allowedPorts: [server.port] })
  expect(await trust.ask('popularity', 'paypal.com')).toMatchObject({ facts: { ranks: [{ list: 'shipped', rank: 10_000 }] } })
  await trust.refreshLists()
  await trust.sql('DELETE FROM evidence')
  await trust.sql('DELETE FROM snapshot')
  const facts = async (name: string) => {
    const answer = await trust.ask('popularity', name)
    return answer.status === 'ok' ? answer.facts.ranks.map(({ list: by, rank }) => `${by} ${rank}`) : answer.status
  }
  expect(await facts('quiet-garden.net')).toEqual(['tranco 7'])
  expect(await facts('github.com')).toEqual([])
})

test('a name is near those of a downloaded list as well: slips under its suffix, and parts under the usual ones', async () => {
  const server = await startHttpServer({ '/top.csv': text('1,google.com\n70000,ourgardenclub.de\n400000,quietmeadow.org\n') })
  cleanups.push(server.close)
  const list = aList({ name: 'tranco', kind: 'popularity', url: `${server.url}/top.csv`, format: rankedNames })
  const trust = await trustWith({ lists: [list], allowedPorts: [server.port] })
  await trust.refreshLists()
  const near = async (name: string) => {
    const answer = await trust.ask('popularity', name)
    return answer.status === 'ok' ? answer.facts.neighbours : answer.status
  }
  expect(await near('ourgardenclup.de')).toEqual([{ name: 'ourgardenclub.de', rank: 70_000, relation: 'edit', rest: '' }])
  expect(await near('ourgardenclup.com')).toEqual([])
  const contained = { name: 'quietmeadow.org', rank: 400_000, relation: 'contains', rest: 'login' }
  expect(await near('quietmeadow-login.top')).toContainEqual(contained)
  expect(await near('quietmeadow.org')).toBeUndefined()
})
