import { expect, test } from 'vitest'
import { compact, MAX_ANSWER_BYTES } from '../../mcp/directory/compact.ts'

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
