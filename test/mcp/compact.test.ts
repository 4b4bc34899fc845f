import { expect, test } from 'vitest'
import { compact, MAX_ANSWER_BYTES } from '../../mcp/directory/compact.ts'
import { compactFeatures } from '../../mcp/directory/compact-features.ts'

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const result = (number: number, length: number) => ({
  name: `Server ${number}`,
  description: 'é'.repeat(length),
  installCommand: `npx -y server-${number}`,
  envVars: [
    { name: 'NEEDED', required: true },
    { name: 'OPTIONAL', required: false },
  ],
})

test('what fits stays as it is', () => {
  const content = { results: [result(1, 600), result(2, 30)] }
  expect(compact(content)).toEqual(content)
})

test('descriptions are shortened before anything is dropped', () => {
  const content = { results: Array.from({ length: 10 }, (_, number) => result(number, 2_000)) }
  const { results } = compact(content) as typeof content
  expect(bytesOf({ results })).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  expect(results).toHaveLength(10)
  expect(results[9]?.description).toMatch(/^é{50,}…$/)
  expect(results[9]).toMatchObject({ installCommand: 'npx -y server-9', envVars: [{ name: 'NEEDED' }, { name: 'OPTIONAL' }] })
})

test('then optional variables and alternative commands go, then the last elements', () => {
  const variable = (number: number) => ({
    name: `${'V'.repeat(60)}_${number}`,
    required: number % 2 === 0,
    description: 'x'.repeat(500),
  })
  const server = {
    installCommand: 'a',
    installations: [{ command: 'a' }, { command: 'b' }],
    envVars: Array.from({ length: 100 }, (_, number) => variable(number)),
  }
  const fitted = compact(server) as typeof server
  expect(bytesOf(fitted)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  expect(fitted.installations).toEqual([{ command: 'a' }])
  expect(fitted.envVars.length).toBeGreaterThan(30)
  expect(fitted.envVars.every(({ required }) => required)).toBe(true)
})

test('an answer without lists that is still too long is returned', () => {
  expect(compact({ url: 'x'.repeat(9_000) })).toEqual({ url: 'x'.repeat(9_000) })
})

/** What the operation selects of a server with these tools, prompts and findings, from the offsets on. */
function offered(tools: number, prompts: number, findings: number, { offset = 0, promptOffset = 0 } = {}) {
  const named = (count: number, start: number, rest: object) =>
    Array.from({ length: count - start }, (_, index) => ({ name: `the_name_of_number_${start + index}`, ...rest }))
  return {
    owner: 'Äcme',
    repo: 'tools',
    features: {
      source: 'PROBED',
      probedAt: null,
      toolCount: tools,
      tools: named(tools, offset, { description: 'é'.repeat(2_000), isWithheld: false, isDestructive: null }),
      promptCount: prompts,
      prompts: named(prompts, promptOffset, { description: 'x'.repeat(2_000) }),
      findings: named(findings, 0, { rule: 'secret-file', severity: 'LOW', feature: 'TOOL' }),
      changes: named(2, 0, { seenAt: new Date(0), change: 'ADDED', feature: 'TOOL', field: null }),
    },
  }
}
const namesIn = (list: unknown): string[] => (list as { readonly name: string }[]).map(({ name }) => name)

test('features of few tools are whole, and nothing is said to be left out', () => {
  const few = offered(2, 1, 1)
  const { leftOut, features } = compactFeatures(few, { offset: 0, promptOffset: 0 }) as typeof few & { leftOut: string | null }
  expect(leftOut).toBeNull()
  expect(namesIn(features.tools)).toEqual(namesIn(few.features.tools))
  expect(compactFeatures({ owner: 'a', repo: 'b', features: null }, {})).toEqual({
    owner: 'a',
    repo: 'b',
    features: null,
    leftOut: null,
  })
})

test('features of many tools fit, say what is left out, and all of it is got by asking again', () => {
  const [tools, prompts]: [string[], string[]] = [[], []]
  for (let calls = 0; calls < 20 && tools.length + prompts.length < 300; calls += 1) {
    const from = { offset: tools.length, promptOffset: prompts.length }
    const page = compactFeatures(offered(200, 100, 100, from), from) as ReturnType<typeof offered> & { leftOut: string }
    expect(bytesOf(page)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
    tools.push(...namesIn(page.features.tools))
    prompts.push(...namesIn(page.features.prompts))
    const findings = 100 - page.features.findings.length
    expect(findings).toBeGreaterThan(0)
    const ofTools = `${200 - tools.length} tools (call again with offset ${tools.length}); `
    const ofPrompts = `${100 - prompts.length} prompts (call again with promptOffset ${prompts.length}); `
    const ofFindings = `${findings} findings (GET /api/mcp/%C3%84cme/tools/features).`
    if (tools.length < 199 && prompts.length < 99) expect(page.leftOut).toBe(`Left out: ${ofTools}${ofPrompts}${ofFindings}`)
  }
  const all = offered(200, 100, 0).features
  expect([tools, prompts]).toEqual([namesIn(all.tools), namesIn(all.prompts)])
})
