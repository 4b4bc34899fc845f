import type { Random } from '../gateway/differential/random.ts'

/** A number that JavaScript does not have: it stands in the text of a request as it is. */
const raw = (text: string): string => `@raw:${text}@`

/** Values that programs do not expect, wherever they stand. */
export const HOSTILE: readonly unknown[] = [
  null,
  true,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff\ud800y',
  '\u202eabc\u200b\ufeff',
  '\r\nSet-Cookie: a=b',
  '\u001b[31mred\u001b[0m',
  '😀'.repeat(300),
  'é'.repeat(256),
  'x'.repeat(5_000),
  '%00',
  '../../../etc/passwd',
  "'; DROP TABLE store; --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '{% if %}',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e999',
  '-0',
  '0x10',
  '١٢٣',
  '2026-02-30T25:61:61Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  'http://127.0.0.1/x',
  'http://[::1]:22/',
  'file:///etc/passwd',
  'http://user:pass@127.0.0.1',
  'javascript:alert(1)',
  'data:image/png;base64,AAAA',
  'data:,',
  'http://',
  'https://xn--/',
  'W10',
  'WyJ4Iiw',
  Buffer.from(JSON.stringify(['products', '1', '2', null])).toString('base64url'),
  0,
  -0,
  -1,
  1.5,
  1e-7,
  0.1 + 0.2,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e308,
  raw('1e400'),
  raw('-1e400'),
  raw('123456789012345678901234567890.12345678901234567890'),
  raw('9223372036854775808'),
  [],
  [null],
  [[]],
  {},
  { a: { b: [] } },
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  { constructor: { prototype: { isAdmin: true } } },
  { toString: 1, valueOf: 2, hasOwnProperty: 3 },
  JSON.parse('{"then":1}'),
]

/** One of them; rarely something that is nested 60 deep, or long. */
export function hostileValue(random: Random): unknown {
  if (random.chance(0.02)) return Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], 1)
  if (random.chance(0.02)) return Array.from({ length: 60 }).reduce<unknown>((inner) => ({ a: inner }), 1)
  if (random.chance(0.02)) return Array.from({ length: 300 }, (_, index) => index)
  return random.pick(HOSTILE)
}

const WORDS: readonly (readonly [name: RegExp, values: readonly string[]])[] = [
  [/email/i, ['ann@example.org', 'Ann@Example.ORG', 'bob@example.org', 'x', 'a@b.co']],
  [/country/i, ['PT', 'CL', 'DE', 'pt', 'XX']],
  [/region|state/i, ['11', 'RM', 'BE', '12']],
  [/currency/i, ['EUR', 'CLP', 'USD', 'eur']],
  [/locale|lang/i, ['en', 'pt', 'es', 'xx', 'pt-BR']],
  [/password/i, ['correct horse battery', 'short', 'another long password']],
  [
    /url|link|domain|target|host/i,
    ['https://example.com/a', 'example.com', 'http://127.0.0.1:9/x', 'xn--bcher-kva.example', 'a.b.c.d'],
  ],
  [/attachment/i, ['aGVsbG8=', 'data:image/gif;base64,R0lGODlhAQABAAAAACw=']],
  [/permalink|slug|code|handle/i, ['a-shirt', 'sale', 'Home Page', 'percent10']],
  [/sku|barcode|number/i, ['SKU-1', '4006381333931', '1']],
  [/date|At$|_at$|begin|expire/i, ['2026-01-01', '2026-11-20T09:30:00Z', '2030-01-01 00:00:00 UTC']],
  [/price|amount|value|cost|weight|tax|total/i, ['12.50', '0', '-1', '9999999999.9999', '3.333']],
  [
    /after|before|cursor|next/i,
    ['', 'x', Buffer.from('["skills",1,"a"]').toString('base64url'), Buffer.from('["x"]').toString('base64url')],
  ],
  [/event|topic/i, ['product_created', 'order_paid', 'product_updated']],
  [/key/i, ['a', 'key-1', 'key-2']],
]

/** A text that a field of this name may well have. */
export function wordFor(random: Random, name: string): string {
  const known = WORDS.find(([pattern]) => pattern.test(name))?.[1]
  return random.pick(known ?? ['A shirt', 'x', 'Blue, large', 'é', '12', 'true', 'postgres'])
}

/** A request as it is sent: JSON in which numbers stand that JavaScript does not have. */
export const wireText = (body: unknown): string => JSON.stringify(body).replaceAll(/"@raw:([^"@]*)@"/g, '$1')
