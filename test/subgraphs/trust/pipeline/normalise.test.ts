import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalise } from '../../../../subgraphs/trust/pipeline/normalise.ts'
import { targetOf } from './support/samples.ts'

const label = (length: number) => 'a'.repeat(length)

test.each([
  ['example.com', 'example.com', 'as it is'],
  ['GITHUB.COM.', 'github.com', 'upper case, and one trailing dot'],
  [' \texample.com \r\n', 'example.com', 'blanks around'],
  ['example.com:8443/a?b#c', 'example.com', 'clients send text with ports and paths as domains'],
  ['https://www.dbs.com.sg/personal/default.page?x=1', 'www.dbs.com.sg', 'a URL'],
  ['HTTPS:\\\\example.com\\x', 'example.com', 'browsers read backslashes as slashes'],
  ['https:example.com', 'example.com', 'and need none'],
  ['http://evil.com\\@paypal.com', 'evil.com', 'so this does not lead to PayPal'],
  ['http://paypal.com@evil.top/', 'evil.top', 'nor does this'],
  ['%70aypal.com', 'paypal.com', 'escapes are read'],
  ['ｐａｙｐａｌ。com', 'paypal.com', 'wide letters and an ideographic dot'],
  ['ex\u00adample.com', 'example.com', 'soft hyphens vanish'],
  ['bücher.de', 'xn--bcher-kva.de', 'U-labels become A-labels'],
  ['xn--bcher-kva.de', 'xn--bcher-kva.de', 'A-labels stay'],
  ['faß.de', 'xn--fa-hia.de', 'nontransitional: ß is a letter of its own'],
  ['İstanbul.com', 'xn--istanbul-o0e.com', 'without the rules of any locale'],
  ['r3---sn-4g5e6n7s.googlevideo.com', 'r3---sn-4g5e6n7s.googlevideo.com', 'hyphens in third and fourth place are in use'],
  [`${label(63)}.com`, `${label(63)}.com`, 'labels of 63'],
  ['0x7f.1', '127.0.0.1', 'hexadecimal and short'],
  ['2130706433', '127.0.0.1', 'one number'],
  ['0177.0.0.1', '127.0.0.1', 'octal'],
  ['１２７.0.0.1', '127.0.0.1', 'wide digits'],
  ['8.8.8.8:53', '8.8.8.8', 'with a port'],
  ['[::1]', '::1', 'brackets'],
  ['https://[2001:DB8:0::1]:8443/', '2001:db8::1', 'RFC 5952'],
  ['2001:4860:4860::8888', '2001:4860:4860::8888', 'without brackets'],
])('%s is %s: %s', (value, host) => {
  expect(targetOf(value).host).toBe(host)
})

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ['http://', 'empty'],
  ['https:///?q', 'empty'],
  ['.', 'host'],
  ['..', 'host'],
  ['foo..com', 'host'],
  ['example.com..', 'host'],
  ['*.example-shop.com', 'host'],
  ['a b.com', 'host'],
  ['foo_bar.com', 'host'],
  ['exa<mple.com', 'host'],
  ['%zz.com', 'host'],
  ['a%2fb.com', 'host'],
  ['xn--a', 'host'],
  ['xn--', 'host'],
  ['a\u200db.com', 'host'],
  ['אa.com', 'host'],
  ['\ud800.com', 'host'],
  [`${label(64)}.com`, 'host'],
  [`${`${label(60)}.`.repeat(5)}com`, 'host'],
  ['ü'.repeat(60), 'host'],
  ['x'.repeat(2049), 'too_long'],
  ['exa\tmple.com', 'control_character'],
  ['exam\0ple.com', 'control_character'],
  ['example.com\r\nHost: x', 'control_character'],
  ['\ufeffhttps://example.com/', 'control_character'],
  ['\u00a0example.com', 'control_character'],
  ['  example.com\u3000 ', 'control_character'],
  ['  \u3000 ', 'control_character'],
  ['javascript:alert(1)', 'scheme'],
  ['mailto:a@b.example', 'scheme'],
  ['ftp://example.com', 'scheme'],
  ['data:text/html,x', 'scheme'],
  ['example.com:99999', 'port'],
  ['http://example.com:8a/', 'port'],
  ['1.2.3.256', 'address'],
  ['http://1.2.3.4.5/', 'address'],
  ['foo.0x', 'address'],
  ['http://[::1', 'address'],
  ['http://[::g]/', 'address'],
  ['fe80::1%eth0', 'zone'],
  ['http://[fe80::1%25eth0]/', 'zone'],
])('%j is refused: %s', (value, code) => {
  const normalised = normalise('domain', value)
  expect(normalised).toMatchObject({ kind: 'invalid', code })
  if (normalised.kind === 'invalid') expect(normalised.message).toMatch(/^Expected /)
})

test('no input throws, and normalising twice equals normalising once', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.webUrl(),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const once = normalise('url', text)
      if (once.kind === 'target') expect(targetOf(once.target.host).host).toBe(once.target.host)
    }),
    { numRuns: 2000 },
  )
})

test('URLs are cut where browsers cut them', () => {
  fc.assert(
    fc.property(
      fc.webUrl({ withQueryParameters: true, withFragments: true, authoritySettings: { withPort: true, withUserInfo: true } }),
      (url) => {
        expect(targetOf(url, 'url').host).toBe(new URL(url).hostname)
      },
    ),
    { numRuns: 500 },
  )
})

describe('the parts of a name', () => {
  test.each([
    ['www.dbs.com.sg', 'dbs.com.sg', 'dbs.com.sg', false],
    ['docs-team.github.io', 'github.io', 'docs-team.github.io', true],
    ['github.io', 'github.io', null, false],
    ['co.uk', null, null, false],
    ['a.b.президент.рф', 'xn--d1abbgf6aiiy.xn--p1ai', 'xn--d1abbgf6aiiy.xn--p1ai', false],
  ])('%s is registered as %s and belongs to %s', (host, registrable, tenant, shared) => {
    expect(targetOf(host).name).toMatchObject({ registrable, tenant, shared })
  })

  test.each([
    ['localhost', 'local-network'],
    ['app.localhost', 'local-network'],
    ['printer.local', 'local-network'],
    ['router.home.arpa', 'local-network'],
    ['vault.corp.internal', 'local-network'],
    ['intranet', 'local-network'],
    ['expyuzz4wqqyqhjn.onion', 'overlay'],
    ['name.alt', 'overlay'],
    ['a.example', 'nowhere'],
    ['a.test', 'nowhere'],
    ['example.com', null],
    ['onion.com', null],
  ])('%s is in special use: %s', (host, specialUse) => {
    expect(targetOf(host).name.specialUse).toBe(specialUse)
  })

  test.each([
    ['8.8.8.8', 'public'],
    ['127.0.0.1', 'private'],
    ['10.1.2.3', 'private'],
    ['100.64.0.1', 'private'],
    ['169.254.169.254', 'private'],
    ['0.0.0.0', 'private'],
    ['224.0.0.1', 'private'],
    ['::1', 'private'],
    ['fe80::1', 'private'],
    ['fd00::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['2606:4700::1111', 'public'],
  ])('%s leads into a network that is %s', (address, reach) => {
    expect(targetOf(address)).toMatchObject({ kind: 'address', reach })
  })
})

test.each([
  ['mathematical digits', '1\u{1d7e4}3rf.com', ['disguised-letter']],
  ['circled letters', '\u24d6\u24de\u24de\u24d6\u24db\u24d4.com', ['disguised-letter']],
  ['wide letters, as keyboards of East Asia type them', '\uff47\uff4f\uff4f\uff47\uff4c\uff45.com', []],
  ['plain letters', 'google.com', []],
])('letters that IDNA turns into plain ones: %s', (_which, written, findings) => {
  const found = normalise('domain', written)
  expect(found.kind === 'target' && found.target.findings).toEqual(findings)
})
