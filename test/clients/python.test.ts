import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkSource, explainDecision } from '../../clients/tools/checks.ts'
import { trustClient } from '../../clients/trust/client.ts'
import { faultOf, subjectOf } from '../../clients/trust/target.ts'
import { startTrustStack } from '../rest-facade/trust-stack.ts'
import { aBadHost, aGoodHost } from '../subgraphs/trust/support/trust.ts'
import { type Mood, PATIENT_MS, startProxy } from './support/proxy.ts'
import { PYTHON, runPython } from './support/python.ts'
import { REFUSED, UNPARSABLE } from './support/targets.ts'

/** Targets whose reduction both clients agree about, letter by letter. */
const TARGETS = [
  'h.com',
  'not a host',
  'ftp://h.com/x',
  'https://h.com',
  'https://H.com/a/b?c=d#e',
  'http://u:p@h.com:8080/a',
  'https://bank.example@evil.example/',
  'https://h.com?x',
  'https:\\\\h.com\\a',
  ' https://h.com/a ',
  `https://h.com/${'a'.repeat(3_000)}`,
  'mailto:someone@h.com',
  '',
  ...UNPARSABLE,
  ...REFUSED,
]

describe.skipIf(!PYTHON)('the client for Python', () => {
  let stack: Awaited<ReturnType<typeof startTrustStack>>
  let proxy: Awaited<ReturnType<typeof startProxy>>
  let control: ReturnType<typeof createServer>
  let controlUrl: string
  beforeAll(async () => {
    stack = await startTrustStack()
    stack.sources.setEvidence('good-place.com', aGoodHost())
    stack.sources.setEvidence('bad-place.com', aBadHost())
    proxy = await startProxy(stack.url)
    const clientOf = (apiKey: string) => trustClient({ baseUrl: stack.url, apiKey, timeoutMs: PATIENT_MS })
    const calls: Readonly<Record<string, (body: never) => unknown>> = {
      '/be': (mood: Mood) => proxy.be(mood),
      '/key': async () => (await stack.aKey()).secret,
      '/requests': () => proxy.requests,
      '/subjects': () =>
        [false, true].flatMap((sendPath) =>
          TARGETS.map((target) => ({ target, sendPath, subject: subjectOf(target, sendPath), fault: faultOf(target) })),
        ),
      '/reports': async (sources: readonly string[]) => {
        const client = clientOf((await stack.aKey()).secret)
        return Promise.all(sources.map((source) => checkSource(client, source)))
      },
      '/explanation': ({ key, id }: { key: string; id: string }) => explainDecision(clientOf(key), id),
    }
    control = createServer(async (request, response) => {
      const body = JSON.parse((await request.toArray()).join('')) as never
      const result = await calls[request.url ?? '']?.(body)
      response.end(JSON.stringify(result ?? null))
    })
    await new Promise<void>((listening) => control.listen(0, '127.0.0.1', listening))
    controlUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    control.closeAllConnections()
    control.close()
    proxy.close()
    await stack.close()
  })

  test('passes its own tests against a running Atrium', async () => {
    const { stdout } = await runPython(['-m', 'pytest', '-p', 'no:cacheprovider', '-q'], {
      ATRIUM_TEST_URL: proxy.url,
      ATRIUM_TEST_CONTROL: controlUrl,
    }).catch((error: { stdout: string }) => error)
    expect(stdout).not.toMatch(/failed|error|skipped/)
    expect(Number(/^(\d+) passed/m.exec(stdout)?.[1])).toBeGreaterThan(60)
  }, 180_000)

  test('is installed from the packed file, typed, with LangChain only where that is wanted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-python-'))
    try {
      const build = 'import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))'
      const wheel = (await runPython(['-c', build, folder])).stdout.trim().split('\n').at(-1) ?? ''
      // A wheel is a ZIP archive that Python also imports from.
      const use = `
import sys, zipfile
sys.path.insert(0, sys.argv[1])
import atrium_client
assert atrium_client.__file__.startswith(sys.argv[1]), atrium_client.__file__
assert not any(name.startswith(('langchain', 'pydantic')) for name in sys.modules)
print('\\n'.join(sorted(name for name in zipfile.ZipFile(sys.argv[1]).namelist() if 'dist-info' not in name)))`
      const { stdout } = await promisify(execFile)(PYTHON ?? '', ['-I', '-c', use, join(folder, wheel)])
      expect(stdout.trim().split('\n')).toEqual(
        ['__init__', 'client', 'decision', 'guard', 'langchain', 'py', 'target', 'tools'].map((name) =>
          name === 'py' ? 'atrium_client/py.typed' : `atrium_client/${name}.py`,
        ),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  }, 60_000)
})
