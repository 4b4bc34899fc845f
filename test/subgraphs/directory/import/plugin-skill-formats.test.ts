import { describe, expect, test } from 'vitest'
import { parse } from '../../../../subgraphs/directory/import/parse.ts'
import { readers } from '../../../../subgraphs/directory/import/readers.ts'

/** What the first reader that recognises the file makes of it. */
function read(path: string, content: unknown, origin = 'some/repo') {
  const parsed = parse(path, new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content)))
  if ('fault' in parsed) return { format: null, statements: [], reasons: [parsed.fault.reason] }
  const file = { origin, path, text: parsed.text }
  const reader = readers.find((candidate) => candidate.recognises(parsed.content, file))
  const { contributions = [], skipped = [] } = reader?.read(parsed.content, file) ?? {}
  return {
    format: reader?.format ?? null,
    statements: contributions.map(({ statement }) => statement),
    reasons: skipped.map(({ reason }) => reason),
  }
}

const PLACE = '.claude-plugin/marketplace.json'
const listing = (...plugins: unknown[]) => ({ name: 'Market Place', owner: { name: 'x' }, plugins })

describe('marketplace.json', () => {
  test.each<[unknown, string | null, string | RegExp]>([
    ['./plugins/p', 'plugins/p', 'https://github.com/some/repo/tree/HEAD/plugins/p'],
    ['./', '', 'https://github.com/some/repo'],
    ['https://github.com/a/b', null, 'https://github.com/a/b'],
    [{ source: 'github', repo: 'a/b' }, null, 'https://github.com/a/b'],
    [{ source: 'github', repo: 'a/b', ref: 'v1' }, null, 'https://github.com/a/b/tree/v1'],
    [{ source: 'url', url: 'https://github.com/a/b.git' }, null, 'https://github.com/a/b'],
    [{ source: 'url', url: 'git@github.com:a/b.git' }, null, 'https://github.com/a/b'],
    [{ source: 'url', url: './' }, '', 'https://github.com/some/repo'],
    [{ source: 'url', url: 'https://git.example.org/a/b.git' }, null, 'https://git.example.org/a/b'],
    [{ source: 'git-subdir', url: 'https://github.com/a/b.git', path: 'x/y' }, null, 'https://github.com/a/b/tree/HEAD/x/y'],
    [{ source: 'git-subdir', url: 'a/b', path: 'x y' }, null, 'https://github.com/a/b/tree/HEAD/x%20y'],
    [{ source: 'npm', package: '@a/b' }, null, 'https://www.npmjs.com/package/@a/b'],
    [{ source: 'local', path: './plugins/p' }, 'plugins/p', 'https://github.com/some/repo/tree/HEAD/plugins/p'],
    ['javascript:alert(1)', null, /not an http/],
    ['file:///etc/passwd', null, /not an http/],
    [{ source: 'url', url: 'https://user:secret@example.org/x' }, null, /not an http/],
    ['../../etc', null, /outside/],
    ['/etc', null, /outside/],
    [{ source: 'github', repo: 'a/b/../c' }, null, /owner\/repository/],
    [{ source: 'npm', package: 'a b' }, null, /npm package/],
    [{ source: 'constructor' }, null, /none of/],
    [{ source: { deep: 1 } }, null, /none of/],
    [7, null, /`source`/],
  ])('source %j lies at %j', (source, folder, expected) => {
    const { statements, reasons } = read(PLACE, listing({ name: 'p', source }, { name: 'other', source: './o' }))
    if (typeof expected === 'string') expect(statements[0]).toMatchObject({ folder, sourceUrl: expected })
    else expect(reasons).toEqual([expect.stringMatching(expected)])
  })

  test('a plugin has the names, words and commands of its entry', () => {
    const entry = { name: 'My.Plugin', displayName: 'Mine', source: './p', category: 'Coding', tags: ['B'], keywords: ['a', 'b'] }
    expect(read(PLACE, listing(entry)).statements).toEqual([
      {
        kind: 'PLUGIN',
        identity: 'github.com/some/repo!market-place/my-plugin',
        key: 'market-place/my-plugin',
        marketplaceSlug: 'market-place',
        slug: 'my-plugin',
        name: 'Mine',
        description: null,
        category: 'Coding',
        tags: ['b', 'a'],
        stars: null,
        ecosystem: 'claude-code',
        // The marketplace's name has a space, so no command is safe to paste.
        installCommand: null,
        sourceUrl: 'https://github.com/some/repo/tree/HEAD/p',
        folder: 'p',
      },
    ])
    expect(read(PLACE, { ...listing(entry), name: 'm' }).statements[0]).toMatchObject({
      installCommand: '/plugin marketplace add some/repo\n/plugin install My.Plugin@m',
    })
  })

  test.each([
    ['.claude-plugin', 'claude-code'],
    ['.agents/plugins', 'codex'],
    ['.codex-plugin', 'codex'],
    ['.cursor-plugin', 'cursor'],
    ['.github/plugin', 'copilot'],
    ['.kimi-plugin', 'kimi'],
    ['deep/down/.grok-plugin', 'grok'],
    ['constructor', 'claude-code'],
  ])('in %s it is for %s', (folder, ecosystem) => {
    expect(read(`${folder}/marketplace.json`, listing({ name: 'p', source: './p' })).statements[0]).toMatchObject({ ecosystem })
  })

  test('a nested marketplace counts folders from its own, and pluginRoot is honoured', () => {
    const nested = { ...listing({ name: 'p', source: './p' }), metadata: { pluginRoot: './all' } }
    expect(read('x/y/.claude-plugin/marketplace.json', nested).statements[0]).toMatchObject({
      folder: 'x/y/all/p',
      installCommand: null,
    })
  })

  test('a name with shell metacharacters gets no command, and a hostile one no key', () => {
    const { statements, reasons } = read(PLACE, {
      ...listing({ name: 'p; rm -rf /', source: './p' }, { name: '$()', source: './q' }, { name: '-rf', source: './r' }, null),
      name: 'm',
    })
    expect(statements).toMatchObject([
      { slug: 'p-rm-rf', installCommand: null },
      { slug: 'rf', installCommand: null },
    ])
    expect(reasons).toEqual(['plugins[1]: needs a `name` with letters or digits', 'plugins[3]: is not an object'])
  })

  test('of two plugins of one name the first counts', () => {
    const { statements, reasons } = read(PLACE, listing({ name: 'p', source: './one' }, { name: 'P', source: './two' }))
    expect(statements).toMatchObject([{ folder: 'one' }])
    expect(reasons).toEqual(['plugins[1]: an earlier plugin has the same name'])
  })

  test('without a name it has the name of its repository; unknown ecosystems and other shapes are skipped with a reason', () => {
    const plugins = [{ id: 'p', displayName: 'P', source: 'https://github.com/a/b' }]
    expect(read('.kimi-plugin/marketplace.json', { version: '2', plugins }).statements).toMatchObject([
      { key: 'repo/p', name: 'P' },
    ])
    expect(read('.omp-plugin/marketplace.json', listing(...plugins)).reasons).toEqual([expect.stringContaining('.omp-plugin')])
    expect(read(PLACE, { agents: [] }).reasons).toEqual(['has no list `plugins`'])
  })

  test('in a folder without an owner, a plugin needs a URL of its own', () => {
    const { statements, reasons } = read(
      PLACE,
      listing({ name: 'p', source: './p' }, { name: 'q', source: './q', homepage: 'https://e.org/x' }),
      'file:/tmp/x',
    )
    expect(statements).toMatchObject([{ slug: 'q', sourceUrl: 'https://e.org/x', installCommand: null }])
    expect(reasons).toEqual([expect.stringContaining('has no address')])
  })
})

describe('SKILL.md', () => {
  const skill = (text: string, path = 'skills/my-skill/SKILL.md', origin?: string) => read(path, text, origin)

  test('is named and described by its frontmatter, and lies where its folder lies', () => {
    const text =
      '---\r\nname: my-skill\r\ndescription: >\r\n  Two\r\n  lines\r\nmetadata:\r\n  category: design\r\ntags: A, b\r\n---\r\n# Heading\r\n'
    expect(skill(text).statements).toEqual([
      {
        kind: 'SKILL',
        identity: 'github.com/some/repo#skills/my-skill',
        key: 'my-skill',
        slug: 'my-skill',
        name: 'my-skill',
        description: 'Two lines',
        category: 'design',
        tags: ['a', 'b'],
        stars: null,
        source: 'COMMUNITY',
        docsUrl: 'https://github.com/some/repo/blob/HEAD/skills/my-skill/SKILL.md',
        repoUrl: 'https://github.com/some/repo/tree/HEAD/skills/my-skill',
      },
    ])
  })

  test.each<[string, string, object]>([
    ['no frontmatter', '# My Heading\n', { slug: 'my-skill', name: 'My Heading', description: null }],
    ['no name', '---\ndescription: d\n---\n# H\n', { slug: 'my-skill', name: 'H', description: 'd' }],
    ['another name than its folder', '---\nname: Other Name\ndescription: d\n---\n', { slug: 'other-name', name: 'Other Name' }],
    ['colons that are not YAML', '---\nname: n\ndescription: Use when: a b\n---\n', { slug: 'n', description: 'Use when: a b' }],
    ['a byte order mark', '\ufeff---\nname: n\n---\n', { slug: 'n' }],
    [
      'lists and numbers for text',
      '---\nname: [a]\ndescription: 5\ntags: {a: 1}\n---\n',
      { slug: 'my-skill', description: null, tags: [] },
    ],
    ['a source that is not ours', '---\nname: n\nsource: built-in\n---\n', { source: 'COMMUNITY' }],
    ['text that turns around', '---\nname: n\ndescription: "a\\u202Eb"\n---\n', { description: 'ab' }],
  ])('with %s is still read', (_, text, expected) => {
    expect(skill(text).statements).toMatchObject([expected])
  })

  test('is sorted by the nearest folder that means a category', () => {
    expect(skill('# H', 'all/marketing/seo/skills/x/SKILL.md').statements).toMatchObject([{ category: 'seo' }])
    expect(skill('# H', 'stuff/x/SKILL.md').statements).toMatchObject([{ category: null }])
  })

  test('at the root of its repository has the name of that', () => {
    expect(skill('# H', 'SKILL.md').statements).toMatchObject([
      { slug: 'repo', repoUrl: 'https://github.com/some/repo', identity: 'github.com/some/repo' },
    ])
  })

  test('in letters that no slug has gets a slug made from its name, the same in every import', () => {
    const [one] = skill('---\nname: 技能\n---\n', '技能/SKILL.md').statements
    const [other] = skill('---\nname: 工具\n---\n', '工具/SKILL.md').statements
    expect(one).toMatchObject({ name: '技能', slug: expect.stringMatching(/^skill-[0-9a-f]{10}$/) })
    expect(other?.key).not.toBe(one?.key)
    expect(skill('---\nname: 技能\n---\n', '技能/SKILL.md').statements).toEqual([one])
  })

  test('without any address, or a name without letters, is skipped with a reason', () => {
    expect(skill('# H', 'x/SKILL.md', 'file:/tmp').reasons).toEqual([expect.stringContaining('has no address')])
    expect(skill('---\nname: "!!"\n---\n', '!/SKILL.md').reasons).toEqual([expect.stringContaining('no name')])
  })

  test('broken frontmatter is skipped with its line', () => {
    expect(skill('---\nname: n\nlist: [a\n---\n').reasons).toEqual([expect.stringContaining('not valid YAML')])
  })
})

test('other Markdown and JSON is not recognised', () => {
  expect(read('README.md', '# Hello\n\nWorld').format).toBe(null)
  expect(read('agents/a.md', '---\nname: a\ndescription: b\n---\n').format).toBe(null)
  expect(read('tsconfig.json', { compilerOptions: {} }).format).toBe(null)
})

describe('licences', () => {
  test.each([
    ['MIT', 'MIT'],
    ['apache-2.0', 'Apache-2.0'],
    [' Apache License 2.0 ', 'Apache-2.0'],
    ['Proprietary. LICENSE.txt has complete terms', undefined],
    ['MIT OR Apache-2.0', 'MIT OR Apache-2.0'],
    ['MIT OR', undefined],
    ['constructor', undefined],
    [{ spdx: 'MIT' }, undefined],
  ])('%j is %j', (stated, license) => expectLicense(stated, license))

  test('100,000 letters are no licence', () => expectLicense('M'.repeat(100_000), undefined))

  function expectLicense(stated: unknown, license: string | undefined): void {
    const entry = { name: 'p', source: './p', license: stated }
    const { statements } = read(PLACE, listing(entry))
    const manifest = read('.claude-plugin/plugin.json', { name: 'p', license: stated })
    const skill = read('s/SKILL.md', `---\nname: s\nlicense: ${JSON.stringify(stated)}\n---\n`)
    for (const [statement] of [statements, manifest.statements, skill.statements]) expect(statement?.license).toBe(license)
  }
})
