import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

test('countries are listed whole, without envelopes', async () => {
  const { json } = await stack.ask('GET /countries.json')
  expect(json).toHaveLength(249)
  expect(json[0]).toEqual({ code: 'AF', name: 'Afghanistan' })
  expect((await stack.ask('GET /countries/CL.json')).text).toBe('{"code":"CL","name":"Chile"}')
})

test('regions and municipalities of Chile are those that promotions name', async () => {
  const regions = (await stack.ask('GET /countries/cl/regions.json')).json
  expect(regions).toHaveLength(16)
  expect(regions).toContainEqual({ code: '03', name: 'Antofagasta', iso: 'CL-AN' })
  expect((await stack.ask('GET /countries/CL/regions/03.json')).text).toBe('{"code":"03","name":"Antofagasta","iso":"CL-AN"}')
  const municipalities = (await stack.ask('GET /countries/CL/regions/12/municipalities.json')).json
  expect(municipalities).toHaveLength(52)
  expect(municipalities).toContainEqual({ code: '13123', name: 'Providencia' })
  expect((await stack.ask('GET /countries/AW/regions.json')).text).toBe('[]')
})

test.each([
  '/countries/XX.json',
  '/countries/XX/regions.json',
  '/countries/CHL.json',
  '/countries/CL/regions/99.json',
  '/countries/CL/regions/99/municipalities.json',
  '/countries/XX/regions/03/municipalities.json',
  '/countries/__proto__.json',
  `/countries/${'x'.repeat(500)}.json`,
])('GET %s is 404', async (path) => {
  const { status, json } = await stack.ask(`GET ${path}`)
  expect([status, Object.keys(json)]).toEqual([404, ['message']])
})
