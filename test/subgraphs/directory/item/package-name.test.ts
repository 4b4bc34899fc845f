import { expect, test } from 'vitest'
import {
  LAUNCHERS,
  packageOfCommand,
  packagesOf,
  pypiName,
  roundedDownloads,
} from '../../../../subgraphs/directory/item/package-name.ts'

test.each([
  ['npx -y @acme/one@1.2.3', 'NPM @acme/one'],
  ['npx --yes tracker --flag', 'NPM tracker'],
  ['npx -p @acme/tools acme', 'NPM @acme/tools'],
  ['bunx tracker@latest', 'NPM tracker'],
  ['pnpm dlx tracker', 'NPM tracker'],
  ['uvx Acme_Two==1.0', 'PYPI acme-two'],
  ['uvx --from acme.two[extra] run-it', 'PYPI acme-two'],
  ['uvx --python 3.12 --from acme-two serve', 'PYPI acme-two'],
  ['pipx run acme--two', 'PYPI acme-two'],
  ['pip install acme-two', 'PYPI acme-two'],
  ['npx -y github:acme/one', null],
  ['npx -y acme/one', null],
  ['npx -y https://github.com/acme/one', null],
  ['npx --registry https://evil.example tracker', null],
  ['uvx --from git+https://github.com/acme/two two', null],
  ['uvx run two', null],
  ['docker run -i --rm acme/one', null],
  ['npx -y ../../etc/passwd', null],
  [`npx -y ${'a'.repeat(215)}`, null],
  // What starts another thing.
  ['npx -y mcp-remote@latest https://acme.example/mcp', null],
  ['npx -y supergateway --stdio "npx -y tracker"', null],
  ['npx tsx src/index.ts', null],
  ['npx -p ts-node ts-node-esm index.ts', null],
  ['uvx MCP_Proxy https://acme.example/sse', null],
  ['npx -y mcp-remote-tracker', 'NPM mcp-remote-tracker'],
])('%s starts %s', (command, expected) => {
  const found = packageOfCommand(command)
  expect(found && `${found.registry} ${found.name}`).toBe(expected)
})

test('packages of several installations are each said once, the recommended first', () => {
  const commands = ['uvx acme_two', 'npx -y one', 'uvx acme-two==2', 'docker run -i --rm acme/one']
  expect(packagesOf(commands.map((command) => ({ command, transport: 'stdio' })))).toEqual([
    { registry: 'PYPI', name: 'acme-two' },
    { registry: 'NPM', name: 'one' },
  ])
})

test('downloads of items keep their first digit', () => {
  expect([0, 7, 10, 998, 12_345, 2_147_483_647].map(roundedDownloads)).toEqual([0, 7, 10, 900, 10_000, 2_000_000_000])
})

test('launchers are written as packages are', () => {
  const isName = (name: string) => /^NPM (@[a-z-]+\/)?[a-z-]+$/.test(name) || name === `PYPI ${pypiName(name.slice(5))}`
  expect(LAUNCHERS.filter((name) => !isName(name))).toEqual([])
})
