import { describe, expect, test } from 'vitest'
import { parseIndicator } from '../../../../subgraphs/trust/collectors/indicator.ts'
import type { FeedHit } from '../../../../subgraphs/trust/evidence.ts'
import { decide } from '../../../../subgraphs/trust/pipeline/decide.ts'
import { snapshotOf } from '../../../../subgraphs/trust/pipeline/snapshot.ts'
import { aHit, aRequest, ct, DAY, decideOn, dns, feeds, NOW, popularity, rdap, targetOf, tls } from './support/samples.ts'

/** A hit about a listed URL, as the collectors make it. */
function listed(url: string, hit: Partial<FeedHit> = {}): FeedHit {
  const found = parseIndicator(url)
  if (!found?.urlKey) throw new Error(`Expected a URL with a path, got ${url}.`)
  const { indicator, scope, urlKey, tenantKey } = found
  return aHit({ indicator, scope, urlKey, ...(tenantKey === null ? {} : { tenantKey }), ...hit })
}

/** An old, popular host in good order, with these entries of feeds. */
const wellKnown = (...hits: readonly FeedHit[]) => [
  rdap({ registeredAt: NOW - 12 * 366 * DAY }),
  dns(),
  tls(),
  ct({ firstSeenAt: NOW - 3000 * DAY }),
  feeds(hits),
  popularity(50),
]
const DOWNLOAD = { interaction: { kind: 'download_file', mode: 'read_only', sensitivity: 'medium' } } as const
const LOGIN = { interaction: { kind: 'submit_credentials', mode: 'read_only', sensitivity: 'medium' } } as const

const MALWARE = 'https://raw.githubusercontent.com/u/r/main/x.exe'

describe('a URL in one spelling', () => {
  const keyOf = (value: string) => targetOf(value).url?.keys[0]

  test.each([
    ['http://a-shop.com/x/y.zip', 'https://a-shop.com/x/y.zip', 'the scheme makes no difference'],
    ['https://www.a-shop.com/x', 'https://a-shop.com/x', 'nor does www.'],
    ['https://a-shop.com:443/x', 'https://a-shop.com/x', 'nor the usual port'],
    ['https://a-shop.com/%78', 'https://a-shop.com/x', 'escapes are read'],
    ['https://a-shop.com/%2578', 'https://a-shop.com/x', 'twice'],
    ['https://a-shop.com/y/../x', 'https://a-shop.com/x', 'and dots'],
    ['https://a-shop.com//x', 'https://a-shop.com/x', 'and slashes'],
    ['https:\\\\a-shop.com\\x', 'https://a-shop.com/x', 'and backslashes, as browsers do'],
    ['https://a-shop.com/x#part', 'https://a-shop.com/x', 'a fragment stays with the reader'],
    ['A-SHOP.com/x', 'https://a-shop.com/x', 'upper case is another host, not another path'],
  ])('%s is %s: %s', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other))
    expect(keyOf(one)).toMatch(/^[0-9a-f]{32}$/)
  })

  test.each([
    ['https://a-shop.com/X', 'https://a-shop.com/x'],
    ['https://a-shop.com:8443/x', 'https://a-shop.com/x'],
    ['https://a-shop.com/x?a=1', 'https://a-shop.com/x?a=2'],
    ['https://b.a-shop.com/x', 'https://a-shop.com/x'],
  ])('%s is not %s', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other))
  })

  test('the root of a host is the host, and the path is stored as hashes only', () => {
    expect(targetOf('https://a-shop.com/').url).toBeUndefined()
    expect(targetOf('a-shop.com').url).toBeUndefined()
    const { value: _, ...target } = targetOf('https://a-shop.com/secret-token?next=1')
    expect(JSON.stringify(target)).not.toContain('secret')
  })
})

describe('a listed URL', () => {
  test.each([
    [MALWARE, 'itself'],
    ['https://raw.githubusercontent.com/u/r/main/x.exe?raw=true', 'with another query'],
    ['http://raw.githubusercontent.com/u/r/./main/%78.exe', 'in another spelling'],
  ])('%s is denied, however known its host (%s)', (url) => {
    for (const request of [{}, DOWNLOAD, LOGIN]) {
      const decision = decideOn(url, wellKnown(listed(MALWARE)), request)
      expect(decision).toMatchObject({ action: 'deny', audit: { state: 'A' } })
      expect(decision.reasonCodes).toContain('URL_LISTED')
    }
  })

  test('a compromised page of an old domain is denied, and its other pages are not', () => {
    const hits = [listed('https://quiet-garden.net/wp-content/login.html')]
    expect(decideOn('https://quiet-garden.net/wp-content/login.html', wellKnown(...hits)).action).toBe('deny')
    expect(decideOn('https://quiet-garden.net/about', wellKnown(...hits)).action).not.toBe('deny')
    expect(decideOn('quiet-garden.net', wellKnown(...hits)).action).not.toBe('deny')
  })

  test('a listed directory lists what is below it', () => {
    const hits = [listed('https://quiet-garden.net/kit/')]
    expect(decideOn('https://quiet-garden.net/kit/step2/card.php?id=1', wellKnown(...hits)).action).toBe('deny')
    expect(decideOn('https://quiet-garden.net/kitchen/', wellKnown(...hits)).action).not.toBe('deny')
  })

  test('other files of the same user are isolated, and not downloaded without a person', () => {
    const evidence = wellKnown(listed(MALWARE))
    expect(decideOn('https://raw.githubusercontent.com/u/other/main/readme.md', evidence).action).toBe('sandbox')
    expect(decideOn('https://raw.githubusercontent.com/u/other/main/y.bin', evidence, DOWNLOAD).action).toBe('escalate_to_human')
    expect(decideOn('https://raw.githubusercontent.com/v/r/main/y.bin', evidence, DOWNLOAD).action).toBe('proceed_with_caution')
  })

  test('a page that was removed is medium, not clear', () => {
    const evidence = wellKnown(listed('https://quiet-garden.net/x.exe', { state: 'offline' }))
    const decision = decideOn('https://quiet-garden.net/x.exe', evidence)
    expect(decision.action).not.toBe('deny')
    expect(decision.action).not.toBe('proceed')
    expect(decision.reasonCodes).toEqual(expect.arrayContaining(['URL_LISTED', 'HISTORICAL_FEED_MATCH']))
  })

  test('a listed URL on an address is denied by one witness', () => {
    const hits = [listed('http://45.9.148.1/bins/x86')]
    expect(decideOn('http://45.9.148.1/bins/x86', [feeds(hits)]).action).toBe('deny')
    expect(decideOn('http://45.9.148.1/other', [feeds(hits)]).action).toBe('sandbox')
  })

  test('engine 2 judged the host alone, and still does', () => {
    const request = aRequest(MALWARE)
    const snapshot = snapshotOf(request.target.host, NOW, wellKnown(listed(MALWARE)))
    expect(decide(snapshot, request, 'p_2c13e318aaaf6498', null).action).toBe('proceed_with_caution')
  })
})

describe('what a URL is made of', () => {
  test.each([
    ['https://a-shop.com/setup.exe', true],
    ['https://a-shop.com/setup%2Eexe', true],
    ['https://a-shop.com/setup.MSI?x=1', true],
    ['https://a-shop.com/exe', false],
    ['https://a-shop.com/example.com', false],
    ['https://a-shop.com/?file=setup.exe', false],
  ])('%s is a program: %s', (url, expected) => {
    expect(targetOf(url).url?.isProgram).toBe(expected)
  })

  test('programs of strangers on a platform are isolated when they are downloaded', () => {
    expect(decideOn('https://github.com/u/r/releases/download/v1/setup.exe', wellKnown(), DOWNLOAD)).toMatchObject({
      action: 'sandbox',
    })
    expect(decideOn('https://quiet-garden.net/setup.exe', wellKnown(), DOWNLOAD).action).toBe('proceed')
  })

  test.each([
    ['https://quiet-garden.net/go?u=https://paypa1-secure-login.com/', true, 'a look-alike'],
    ['https://quiet-garden.net/go?u=https%3A%2F%2Fpaypa1-secure-login.com%2F', true, 'escaped'],
    ['https://quiet-garden.net/go?u=http://169.254.169.254/latest', true, 'a metadata service'],
    ['https://quiet-garden.net/go?u=http://localhost:8080/', true, 'the machine itself'],
    ['https://quiet-garden.net/share?u=https://www.wikipedia.org/', false, 'an honest name'],
    ['https://quiet-garden.net/go?u=https://quiet-garden.net/x', false, 'itself'],
  ])('%s carries a suspicious URL: %s (%s)', (url, expected) => {
    const decision = decideOn(url, wellKnown())
    expect(decision.reasonCodes.includes('EMBEDDED_URL_SUSPICIOUS')).toBe(expected)
    expect(decision.action).toBe(expected ? 'sandbox' : 'proceed')
  })

  test('a short URL never proceeds: where it leads is not known', () => {
    const decision = decideOn('https://bit.ly/3abcd', wellKnown())
    expect(decision).toMatchObject({ action: 'proceed_with_caution' })
    expect(decision.reasonCodes).toContain('REDIRECTING_URL')
    expect(decideOn('https://bit.ly/3abcd', wellKnown(), LOGIN).action).toBe('escalate_to_human')
    expect(decideOn('bit.ly', wellKnown()).reasonCodes).not.toContain('REDIRECTING_URL')
  })
})
