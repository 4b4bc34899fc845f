import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { licenseProblem } from '../../scripts/licenses.ts'
import { productionPackages } from '../../scripts/production-packages.ts'

const ROOT = join(import.meta.dirname, '../..')

const cleanups: (() => unknown)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup()
})

function run(script: string, cwd: string, ...options: readonly string[]) {
  const maxBuffer = 100_000_000
  return new Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>((done) => {
    execFile(process.execPath, [join(ROOT, 'scripts', script), ...options], { cwd, maxBuffer }, (error, stdout, stderr) =>
      done({ status: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

/** A project with these packages, as its lock file has them; those with a text are installed. */
function aProject(
  packages: Readonly<Record<string, { readonly license?: string; readonly text?: string; readonly optional?: true }>>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-packages-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  const locked = Object.entries(packages).map(([name, { text, ...rest }]) => {
    if (text !== undefined) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true })
      writeFileSync(join(folder, 'node_modules', name, 'LICENSE'), text)
    }
    return [`node_modules/${name}`, { version: '1.0.0', ...rest }]
  })
  const lock = { lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(locked) } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  return folder
}

describe('THIRD_PARTY_NOTICES.txt', () => {
  test('is generated from the installed packages', async () => {
    expect(await run('notices.ts', ROOT, '--check')).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  test('names every production dependency', () => {
    const text = readFileSync(join(ROOT, 'THIRD_PARTY_NOTICES.txt'), 'utf8')
    const lines = new Set(text.split('\n').map((line) => line.split('  ', 1)[0]))
    const missing = productionPackages(ROOT).filter(({ name, version }) => !lines.has(`${name}@${version}`))
    expect(missing).toEqual([])
  })

  test('is the same wherever it is made: ends of lines, and packages of other platforms, make no difference', async () => {
    const packages = { b: { license: 'MIT', text: 'Yours.\nTruly.\n' }, a: { license: 'ISC', text: 'Mine.' } }
    const here = aProject({
      ...packages,
      'native-linux': { license: 'MIT', text: 'Linux', optional: true },
      'native-mac': { license: 'MIT', optional: true },
    })
    const there = aProject({
      ...packages,
      b: { license: 'MIT', text: 'Yours.  \r\nTruly.\r\n' },
      'native-linux': { license: 'MIT', optional: true },
      'native-mac': { license: 'MIT', text: 'Mac', optional: true },
    })
    for (const folder of [here, there]) expect(await run('notices.ts', folder)).toMatchObject({ status: 0, stderr: '' })
    const [one, other] = [here, there].map((folder) => readFileSync(join(folder, 'THIRD_PARTY_NOTICES.txt'), 'utf8'))
    expect(one).toBe(other)
    expect(one).toContain('a@1.0.0  ISC\nb@1.0.0  MIT\nnative-linux@1.0.0  MIT\nnative-mac@1.0.0  MIT\n')
    expect(one).toContain('Yours.\nTruly.\n')
  })

  test('is stale when a package changes, or the file was edited', async () => {
    const folder = aProject({ a: { license: 'MIT', text: 'One' } })
    expect((await run('notices.ts', folder, '--check')).status).toBe(1)
    await run('notices.ts', folder)
    expect((await run('notices.ts', folder, '--check')).status).toBe(0)
    writeFileSync(join(folder, 'node_modules/a/LICENSE'), 'Two')
    const { status, stderr } = await run('notices.ts', folder, '--check')
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run notices')])
  })

  test('is not generated when a licence is not allowed or unknown', async () => {
    const folder = aProject({ a: { license: 'GPL-3.0-only', text: '' }, b: { text: '' }, c: { license: 'MIT', text: '' } })
    const { status, stderr } = await run('notices.ts', folder)
    expect([status, stderr.split('\n')]).toEqual([
      1,
      [
        'a@1.0.0 has the licence "GPL-3.0-only", which is not on the list in scripts/licenses.ts.',
        'b@1.0.0 says no licence: read its files, and add what they say to READ_BY_US in scripts/licenses.ts.',
        '',
      ],
    ])
  })

  test.each([
    ['MIT', true],
    ['(MIT OR CC0-1.0)', true],
    ['MIT OR GPL-3.0-only', true],
    ['MIT AND GPL-3.0-only', false],
    ['(MIT AND ISC)', true],
    ['(MIT OR GPL-3.0-only) AND AGPL-3.0-only', false],
    ['Elastic-2.0', false],
    ['SEE LICENSE IN LICENSE', false],
    ['constructor', false],
    ['', false],
  ])('the licence "%s" is allowed: %s', (license, expected) => {
    const each = { name: 'x', version: '1.0.0', license, path: 'node_modules/x', isOptional: false }
    expect(licenseProblem(each) === null).toBe(expected)
  })
})

test('the bill of materials is CycloneDX and has every production dependency, and no other', async () => {
  // As in a release: npm calls the project like its folder, which may be anything.
  const folder = mkdtempSync(join(tmpdir(), 'atrium-sbom-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(ROOT, name), join(folder, name))
  const { status, stdout } = await run('sbom.ts', folder)
  expect(status).toBe(0)
  const bom = JSON.parse(stdout)
  expect([bom.bomFormat, bom.specVersion, bom.metadata.component.name, bom.metadata.component.type]).toEqual([
    'CycloneDX',
    expect.stringMatching(/^1\.\d$/),
    'atrium',
    'application',
  ])
  const labels = (list: readonly { name: string; version: string }[]) => list.map(({ name, version }) => `${name}@${version}`)
  const wanted = new Set(labels(productionPackages(ROOT)))
  expect(labels(bom.components).sort()).toEqual([...wanted].sort())
  expect([...wanted].some((label) => label.startsWith('fastify@'))).toBe(true)
  expect([...wanted].some((label) => label.startsWith('vitest@'))).toBe(false)
  for (const { purl, hashes, properties } of bom.components) {
    expect([purl, hashes?.length]).toEqual([expect.stringMatching(/^pkg:npm\//), 1])
    expect(JSON.stringify(properties)).not.toContain('development')
  }
  const refs = new Set([
    bom.metadata.component['bom-ref'],
    ...bom.components.map((each: Record<string, string>) => each['bom-ref']),
  ])
  const dangling = bom.dependencies.flatMap(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) =>
    [ref, ...dependsOn].filter((each) => !refs.has(each)),
  )
  expect(dangling).toEqual([])
})
