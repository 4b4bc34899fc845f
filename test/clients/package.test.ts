import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const CLIENTS = join(ROOT, 'clients')
const run = promisify(execFile)
const { exports: entries, peerDependencies } = JSON.parse(readFileSync(join(CLIENTS, 'package.json'), 'utf8')) as {
  exports: Record<string, string>
  peerDependencies: Record<string, string>
}

/** A folder of someone who has installed what is published. */
let user: string
beforeAll(async () => {
  user = mkdtempSync(join(tmpdir(), 'atrium-client-'))
  // A copy: packing writes, and others read the sources meanwhile.
  const source = join(user, 'source')
  cpSync(CLIENTS, source, { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'))
  await run('npm', ['pack', '--pack-destination', user], { cwd: source })
  rmSync(source, { recursive: true })

  const installed = join(user, 'node_modules/@atrium/client')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', globSync('*.tgz', { cwd: user })[0] ?? '', '-C', installed, '--strip-components=1'], { cwd: user })
  for (const name of [...Object.keys(peerDependencies), '@types', 'typescript']) {
    const to = join(user, 'node_modules', name)
    mkdirSync(join(to, '..'), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), to)
  }
  writeFileSync(join(user, 'package.json'), '{"type":"module"}')
})
afterAll(() => rmSync(user, { recursive: true }))

test('every entry can be imported, and has types', async () => {
  const names = Object.keys(entries).map((entry) => entry.replace(/^\./, '@atrium/client'))
  const imports = names.map((name, index) => `import * as m${index} from '${name}'`).join('\n')
  const all = `[${names.map((_, index) => `m${index}`).join(', ')}]`
  writeFileSync(join(user, 'all.ts'), `${imports}\nconsole.log(${all}.map((each) => Object.keys(each).length > 0).join())\n`)
  const { stdout } = await run(process.execPath, ['all.ts'], { cwd: user })
  expect(stdout.trim()).toBe(names.map(() => 'true').join())
  for (const file of Object.values(entries))
    expect(existsSync(join(user, 'node_modules/@atrium/client', file.replace(/\.js$/, '.d.ts'))), file).toBe(true)
})

test('a program that uses them compiles, and one that leaves the failure open does not', async () => {
  const compile = (source: string) => {
    writeFileSync(join(user, 'use.ts'), source)
    const flags = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
      '--skipLibCheck',
      'use.ts',
    ]
    return run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags], { cwd: user }).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    )
  }
  const using = (fail: string) => `
    import { expressGuard } from '@atrium/client/express'
    import { rateEvidence } from '@atrium/client/evidence'
    import { contentOfText } from '@atrium/client/evidence/text'
    expressGuard({ baseUrl: 'https://atrium.example', apiKey: 'sk_x', ${fail} target: ({ query }) => query.url })
    const usability: 'high' | 'medium' | 'low' | 'none' = rateEvidence(contentOfText(null, '')).usability
    console.log(usability)`
  expect(await compile(using(`fail: 'closed',`))).toBe('')
  expect(await compile(using(''))).toMatch(/'fail' is missing/)
})

test('the packed package works: it extracts a page in a worker thread', async () => {
  writeFileSync(join(user, 'page.html'), `<title>T</title><p>${'words of a page '.repeat(100)}</p>`)
  const program = `import { gateSources } from '@atrium/client/gate'
    const [result] = await gateSources(['page.html'], { client: null })
    console.log(result.use, result.rating?.tier)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: user })
  expect(stdout.trim()).toBe('cite body_text_captured')
})

test('what is published is JavaScript, types and READMEs', () => {
  const files = globSync('**/*.*', { cwd: join(user, 'node_modules/@atrium/client') })
  expect(files.filter((file) => !/\.(js|d\.ts|md)$/.test(file))).toEqual(['package.json'])
})

test('the required versions are the tested versions', () => {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, Record<string, string>>
  const tested = { ...own.dependencies, ...own.devDependencies }
  for (const [name, wanted] of Object.entries(peerDependencies)) {
    const [major, minor, patch] = wanted.slice(1).split('.').map(Number)
    const has = (tested[name] ?? '').split('.').map(Number)
    // As npm reads a caret: below 1, the minor version may not change.
    expect([name, has[0], major === 0 ? has[1] : null]).toEqual([name, major, major === 0 ? minor : null])
    expect(has[0] !== 0 || (has[2] ?? 0) >= (patch ?? 0), name).toBe(true)
  }
})
