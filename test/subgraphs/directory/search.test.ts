import { describe, expect, test } from 'vitest'
import { distance, expansionOf } from '../../../subgraphs/directory/search/expansion.ts'
import { search } from '../../../subgraphs/directory/search/search.ts'
import { buildWordIndex, type Indexed } from '../../../subgraphs/directory/word-index/word-index.ts'
import { fold, tokenize } from '../../../subgraphs/directory/word-index/words.ts'

const record = (label: string, text = '', tags: readonly string[] = []): Indexed => ({ labels: [label], tags, text })

/** Labels of what is found, best first. */
async function found(query: string, records: readonly Indexed[]): Promise<readonly (string | undefined)[]> {
  const index = await buildWordIndex(records)
  const { records: numbers, scores } = search(query, index)
  return Array.from(numbers, (record, at) => ({ record, score: scores[at] as number }))
    .sort((one, other) => other.score - one.score)
    .map(({ record }) => records[record]?.labels[0])
}

describe('words', () => {
  test.each([
    { text: 'mcp-server-PostgresDB', words: ['mcp', 'server', 'postgresdb'], parts: ['postgres', 'db'], why: 'camel case opens' },
    { text: 'HTTPServer2', words: ['httpserver2'], parts: ['http', 'server'], why: 'capitals end where a word begins' },
    { text: 'snake_case.name', words: ['snake', 'case', 'name'], parts: [], why: 'signs separate' },
    { text: 'Café Ｗｉｄｅ', words: ['cafe', 'wide'], parts: [], why: 'accents and widths fold' },
    { text: '数据库工具', words: ['数据', '据库', '库工', '工具'], parts: [], why: 'scripts without spaces give pairs' },
    { text: 'поиск в базе', words: ['поиск', 'в', 'базе'], parts: [], why: 'other alphabets are words' },
    { text: '100% *_?/', words: ['100'], parts: [], why: 'signs are no words' },
    {
      text: '__proto__ constructor',
      words: ['proto', 'constructor'],
      parts: [],
      why: 'names of prototypes are words like others',
    },
  ])('$text: $why', ({ text, words, parts }) => {
    const read = tokenize(text)
    expect(read.map(({ whole }) => whole)).toEqual(words)
    expect(read.flatMap((word) => word.parts)).toEqual(parts)
  })

  test.each(['mcp-server-PostgresDB', 'HTTPServer2 s3Bucket', 'snake_case.name', 'C# and .net', 'a ABC Abc aBC x1y2 100%', ''])(
    '%s is read the same without a letter beyond ASCII behind it',
    (text) => {
      expect(tokenize(text)).toEqual(tokenize(`${text} é`).slice(0, -1))
      expect(fold(text)).toBe(fold(`${text}é`).slice(0, -1))
    },
  )

  test('folding is the same for every spelling of a letter', () => {
    expect(fold('É')).toBe(fold('É'.normalize('NFD')))
  })
})

describe('typing errors', () => {
  test.each([
    ['postgres', 'postgress', 1],
    ['kuberentes', 'kubernetes', 1],
    ['slack', 'black', 1],
    ['figma', 'firma', 1],
    ['abc', 'xyz', 3],
    ['', 'ab', 2],
  ] as const)('%s to %s takes %i', (one, other, changes) => {
    expect(distance(one, other, 5)).toBe(changes)
    expect(distance(other, one, 5)).toBe(changes)
  })

  test('of many words that begin alike, those that most records hold are meant', async () => {
    const rare = Array.from({ length: 1_000 }, (_, index) => record(`sa${index.toString(36).padStart(4, 'x')}q`))
    const index = await buildWordIndex([...rare, record('one', 'stripe'), record('two', 'stripe')])
    const meant = [...expansionOf('s', true, index).keys()].map((number) => index.words[number])
    expect(meant).toContain('stripe')
    expect(meant.length).toBeLessThanOrEqual(400)
  })

  test('are forgiven by length, and never in numbers', async () => {
    const index = await buildWordIndex([record('grafana slack kubernetes 20251 elasticsearch')])
    const meant = (typed: string) => [...expansionOf(typed, false, index).keys()].map((number) => index.words[number])
    expect(meant('slak')).toEqual(['slack'])
    expect(meant('sla')).toEqual([])
    expect(meant('slakc')).toEqual(['slack'])
    expect(meant('elastcsearhc')).toEqual(['elasticsearch'])
    expect(meant('20252')).toEqual([])
  })

  test('rank below the word itself', async () => {
    expect(await found('stripe', [record('strype'), record('stripe')])).toEqual(['stripe', 'strype'])
    expect((await found('gitlab', [record('gitlap'), record('x', 'gitlab')]))[0]).toBe('x')
  })
})

describe('ranking', () => {
  test('goes from the exact name over all words in the name, its beginning and tags to the description', async () => {
    const records = [
      record('something', 'sends slack notes'),
      record('tagged', '', ['slack']),
      record('slackbot'),
      record('slack export'),
      record('slack'),
    ]
    expect(await found('slack', records)).toEqual(['slack', 'slack export', 'slackbot', 'tagged', 'something'])
  })

  test('stop words do not dominate', async () => {
    const records = [record('mcp server'), record('another mcp server tool'), record('github')]
    expect(await found('github mcp server', records)).toEqual(['github'])
  })

  test('stop words order what was found without them', async () => {
    const records = [record('github one', 'for issues'), record('github two', 'an mcp server')]
    expect(await found('github mcp server', records)).toEqual(['github two', 'github one'])
    expect(await found('github', records)).toEqual(['github one', 'github two'])
  })

  test('a name with the words in their order ranks before the same words in another one', async () => {
    expect(await found('red fox', [record('fox red'), record('red fox'), record('red-fox')])).toEqual([
      'red fox',
      'red-fox',
      'fox red',
    ])
  })

  test('stop words alone still answer', async () => {
    expect((await found('mcp server', [record('github'), record('mcp server')]))[0]).toBe('mcp server')
  })

  test('a record with every significant word ranks before those with some of them', async () => {
    const records = [record('excel'), record('charts'), record('sheets', 'charts for excel')]
    expect(await found('excel charts', records)).toEqual(['sheets', 'excel', 'charts'])
  })

  test('records with some of the words fill up a short list, and no long one', async () => {
    const full = Array.from({ length: 10 }, (_, number) => record(`x${number}`, 'ms teams'))
    const partial = [record('teams')]
    expect(await found('ms teams', [...full.slice(1), ...partial])).toHaveLength(10)
    expect(await found('ms teams', [...full, ...partial])).not.toContain('teams')
  })

  test('when no record has them all, most of them do', async () => {
    expect(await found('excel zebra', [record('excel'), record('other')])).toEqual(['excel'])
  })

  test('identifiers are found by the words inside them, and by their words run together', async () => {
    expect(await found('postgres', [record('mcp-server-PostgresDB')])).toEqual(['mcp-server-PostgresDB'])
    expect(await found('sequentialthinking', [record('sequential-thinking')])).toEqual(['sequential-thinking'])
  })

  test.each([
    ['.net', 'C# and .NET'],
    ['c#', 'C# and .NET'],
    ['C++', 'written in C++'],
    ['asp.net', 'ASP.NET hosting'],
  ])('%s is a word', async (typed, text) => {
    expect(await found(typed, [record('other', 'see example.net, c, net'), record('hit', text)])).toEqual(['hit'])
  })

  test('what is typed with an error for sure is found in names first', async () => {
    const records = [record('something', 'runs kubernetes'), record('kubernetes-server')]
    expect(await found('kuberntes', records)).toEqual(['kubernetes-server', 'something'])
  })

  test.each([
    ['k8s', 'kubernetes'],
    ['bq', 'bigquery'],
    ['gdocs', 'google docs'],
    ['yt transcript', 'youtube transcript'],
    ['postgresql', 'postgres'],
    ['gh', 'github'],
  ])('%s is %s', async (typed, name) => {
    expect(await found(typed, [record('other'), record(name)])).toEqual([name])
  })

  test('the last word may be unfinished', async () => {
    expect(await found('cloud fl', [record('cloud flare'), record('cloud')])).toEqual(['cloud flare', 'cloud'])
  })
})

describe('nothing is a wildcard', () => {
  const records = [record('alpha'), record('beta', '1000 things, 100x faster')]
  test.each(['%', '_', '*', '.*', '%%%', '   ', '?', '\\', "' OR 1=1 --", '\u0000', '💥', 'zzzzzzzz', '10'])(
    '%j matches nothing',
    async (query) => {
      expect(await found(query, records)).toEqual([])
    },
  )

  test('names of prototypes match nothing but themselves', async () => {
    for (const query of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(await found(query, records)).toEqual([])
  })
})

test('the same records in the same order give the same scores', async () => {
  const records = Array.from({ length: 300 }, (_, index) => record(`item ${index % 7}`, `text ${index % 11} slack`))
  const [one, other] = await Promise.all([buildWordIndex(records), buildWordIndex(records)])
  expect(search('slack item', one)).toEqual(search('slack item', other))
})

describe('other languages', () => {
  const records = [
    record('weather-mcp', 'Forecasts for every town'),
    record('sql-runner', 'Queries a database'),
    record('mailer', 'Sends email'),
    record('base', 'Works with tokens'),
    record('hava', 'A dance'),
  ]
  test.each([
    ['wetter', 'weather-mcp'],
    ['météo', 'weather-mcp'],
    ['previsão do tempo', 'weather-mcp'],
    ['hava durumu', 'weather-mcp'],
    ['погода', 'weather-mcp'],
    ['天气', 'weather-mcp'],
    ['天気', 'weather-mcp'],
    ['날씨', 'weather-mcp'],
    ['une base de données', 'sql-runner'],
    ['データベース', 'sql-runner'],
    ['eine E-Mail senden', 'mailer'],
    ['enviar correo electrónico', 'mailer'],
    ['发送邮件', 'mailer'],
  ])('%s finds %s first', async (query, label) => {
    expect((await found(query, records))[0]).toBe(label)
  })

  test('a word that is a name as well still finds that name', async () => {
    expect((await found('hava', records))[0]).toBe('hava')
    expect(await found('base', records)).toEqual(['base'])
  })

  test('words of a prototype are no language', async () => {
    for (const query of ['constructor', '__proto__', 'hasOwnProperty']) expect(await found(query, records)).toEqual([])
  })
})

test('a word that means nothing as it is may have an error from 4 letters on, and two from 6', async () => {
  const records = [record('slack'), record('zotero'), record('abc')]
  expect(await found('slak', records)).toEqual(['slack'])
  expect(await found('zutreo', records)).toEqual(['zotero'])
  expect(await found('abx', records)).toEqual([])
})
