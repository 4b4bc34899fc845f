import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { runAtrium } from '../support/command-line.ts'
import { SECRETS_KEY } from '../support/program.ts'

const ATRIUM = join(import.meta.dirname, '../../cli/atrium.ts')

test.each([
  [['cluster', '--port', '1'], "argument '1' is invalid. Expected a whole number from 1024 to 65486."],
  [['cluster', '--copies', '9'], "argument '9' is invalid. Expected a whole number from 1 to 8."],
  [['app', 'plans', 'x', '--plan', 'bad'], 'Expected a plan such as Basic:EUR:10:100:0.05.'],
  [['mcp', 'directory', '--url', 'foo'], "argument 'foo' is invalid. Expected the address of an Atrium"],
  [['gate', 'a.md', '--atrium', 'foo'], "argument 'foo' is invalid. Expected the address of an Atrium"],
  [['trust', 'key', 'create', '--name', ' '], "argument ' ' is invalid. Expected 1 to 100 characters."],
  [['trust', 'key', 'rotate', 'x', '--grace-hours', '-1'], "argument '-1' is invalid. Expected a whole number from 0 to 9999."],
  [['user', 'password', '--email', 'ann@example.org'], 'expected --password-stdin or --password'],
])('wrong usage exits with 2 before any work, unlike a refusal: %j', async (words, said) => {
  // Nothing answers there: a command that opened the database would fail for that.
  const env = { ...process.env, DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none' }
  const child = spawn(process.execPath, [ATRIUM, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(said)
  expect(err).toContain('(see --help)')
})

test('a command that reads its input ends without any, each time that it runs', async () => {
  const env = { PATH: process.env.PATH, SECRETS_KEY }
  for (let times = 0; times < 3; times++) {
    const { code, err } = await runAtrium(['secrets', 'seal'], env)
    expect([code, err]).toEqual([1, 'Expected the secret on standard input.\n'])
  }
})
