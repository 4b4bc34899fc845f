import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProduct, aVariant } from './support/product.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FAILURES = `
  ... on ValidationError { errors { field message } }
  ... on ConflictError { message currentVersion }`
const FIELD = 'id number label type values selectOptions { id number value } productVisibility version'
const CREATE = `mutation ($input: CreateCustomFieldInput!) { result: createCustomField(input: $input) {
  __typename ... on CreateCustomFieldSuccess { customField { ${FIELD} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateCustomFieldInput!) { result: updateCustomField(id: $id, input: $input) {
  __typename ... on UpdateCustomFieldSuccess { customField { ${FIELD} } } ${FAILURES} } }`
const DELETE = 'mutation ($id: ID!) { result: deleteCustomField(id: $id) { __typename } }'
const READ = `query ($id: ID!) { result: customField(id: $id) { ${FIELD} } }`
const ADD_OPTION = `mutation ($input: CreateCustomFieldSelectOptionInput!) { result: createCustomFieldSelectOption(input: $input) {
  __typename ... on CreateCustomFieldSelectOptionSuccess { option: customFieldSelectOption { id number value } }
  ... on ValidationError { errors { field message } } } }`
const CHANGE_OPTION = `mutation ($id: ID!, $customFieldId: ID, $value: String!) {
  result: updateCustomFieldSelectOption(id: $id, customFieldId: $customFieldId, value: $value) {
  __typename ... on UpdateCustomFieldSelectOptionSuccess { option: customFieldSelectOption { value } }
  ... on ValidationError { errors { field message } } } }`
const DELETE_OPTION = `mutation ($id: ID!, $customFieldId: ID) {
  result: deleteCustomFieldSelectOption(id: $id, customFieldId: $customFieldId) { __typename } }`
const VALUE = 'id number customFieldNumber customField { label type } value selectOptionNumber variantNumber'
const SAY = `mutation ($input: AddProductCustomFieldValueInput!) { result: addProductCustomFieldValue(input: $input) {
  __typename ... on AddProductCustomFieldValueSuccess { product { number customFieldValueCount } values: customFieldValues { ${VALUE} } }
  ... on NotFoundError { message } ... on ValidationError { errors { field message } } } }`
const CHANGE = `mutation ($id: ID!, $productId: ID, $value: String!) {
  result: updateProductCustomFieldValue(id: $id, productId: $productId, value: $value) {
  __typename ... on UpdateProductCustomFieldValueSuccess { customFieldValue { ${VALUE} } }
  ... on ValidationError { errors { field message } } } }`
const UNSAY = `mutation ($id: ID!, $productId: ID) {
  result: deleteProductCustomFieldValue(id: $id, productId: $productId) { __typename } }`

async function run(query: string, variables: Record<string, unknown>, who = shop) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data.result
}

let made = 0
async function aField(input: Record<string, unknown> = {}, who = shop) {
  made += 1
  const payload = await run(CREATE, { input: { label: `Field ${made}`, ...input } }, who)
  expect(payload.__typename).toBe('CreateCustomFieldSuccess')
  return payload.customField
}
const aSelection = (...values: string[]) => aField({ type: 'SELECTION', values })

const say = (product: number, field: { id: string }, value: string, more: Record<string, unknown> = {}, who = shop) =>
  run(SAY, { input: { productId: String(product), customFieldId: field.id, value, ...more } }, who)

async function saidOf(product: number) {
  const query = `query ($id: ID!) { result: product(id: $id) { customFieldValues { ${VALUE} } } }`
  return (await run(query, { id: String(product) })).customFieldValues
}

const found = async (word: string, field: string): Promise<number[]> => {
  const query = 'query ($search: ProductSearch!) { result: products(search: $search) { nodes { number } } }'
  const { nodes } = await run(query, { search: { query: word, fields: [field] } })
  return nodes.map(({ number }: { number: number }) => number)
}

test('a field is a text that visitors see, unless its author says something else', async () => {
  expect(await aField()).toMatchObject({ type: 'TEXT', values: [], productVisibility: true, version: 1 })
  expect(await aField({ type: 'INPUT', productVisibility: false })).toMatchObject({ type: 'INPUT', productVisibility: false })
  expect(await aSelection('Cotton', 'Wool')).toMatchObject({ type: 'SELECTION', values: ['Cotton', 'Wool'] })
})

test.each([
  [{ label: '' }, 'label'],
  [{ label: 'x'.repeat(101) }, 'label'],
  [{ label: 'half \ud800' }, 'label'],
  [{ label: 'Fine 1', type: 'TEXT', values: ['a'] }, 'values'],
  [{ label: 'Fine 2', type: 'SELECTION', values: ['á', ' Á'] }, 'values.1'],
  [{ label: 'Fine 3', type: 'SELECTION', values: ['a', ''] }, 'values.1'],
  [{ label: 'Fine 4', type: 'SELECTION', values: Array.from({ length: 251 }, (_, index) => `v${index}`) }, 'values'],
  [{ label: 'Fine 5', type: 'SELECTION', values: null }, 'values'],
])('a field of %j is refused by its field', async (input, field) => {
  expect(await run(CREATE, { input })).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('null stands for no select options where there can be none', async () => {
  const field = await aField({ type: 'TEXT', values: null })
  expect(field.values).toEqual([])
  expect(await run(UPDATE, { id: field.id, input: { values: null } })).toMatchObject({ customField: { values: [] } })
  const selection = await aSelection('Cotton')
  expect(await run(UPDATE, { id: selection.id, input: { values: null } })).toMatchObject({ errors: [{ field: 'values' }] })
})

test('two fields of a store have no label in common, eight at once either; those of another store may', async () => {
  const other = await stack.aStore()
  await aField({ label: 'Matière' })
  expect(await run(CREATE, { input: { label: ' MATIÈRE ' } })).toMatchObject({ errors: [{ field: 'label' }] })
  await aField({ label: 'Matière' }, other)
  // Again and again: the first time, connections are still being opened one after the other.
  for (const label of ['At once', 'At once again', 'And again']) {
    const all = await Promise.all(Array.from({ length: 8 }, () => run(CREATE, { input: { label } })))
    const names = all.map(({ __typename }) => __typename)
    expect(names.filter((name) => name === 'CreateCustomFieldSuccess')).toHaveLength(1)
    expect(names.filter((name) => name === 'ValidationError')).toHaveLength(7)
  }
  const second = await aField()
  expect(await run(UPDATE, { id: second.id, input: { label: 'MATIÈRE' } })).toMatchObject({ errors: [{ field: 'label' }] })
  expect(await run(UPDATE, { id: second.id, input: { label: second.label.toUpperCase() } })).toMatchObject({
    customField: { label: second.label.toUpperCase() },
  })
})

test('what can be chosen is one list, whether it is changed as a whole or one by one', async () => {
  const field = await aSelection('Red', 'Green', 'Blue')
  const [, green] = field.selectOptions
  const payload = await run(UPDATE, { id: field.id, input: { values: ['GREEN', 'Black', 'red'] } })
  expect(payload.customField).toMatchObject({ values: ['GREEN', 'Black', 'red'], version: 2 })
  expect(payload.customField.selectOptions[0]).toEqual({ ...green, value: 'GREEN' })

  const { option } = await run(ADD_OPTION, { input: { customFieldId: field.id, value: 'White' } })
  await run(CHANGE_OPTION, { id: green.id, value: 'Green' })
  expect((await run(DELETE_OPTION, { id: payload.customField.selectOptions[1].id })).__typename).toMatch(/Success$/)
  expect(await run(READ, { id: field.id })).toMatchObject({ values: ['Green', 'red', 'White'], version: 5 })
  expect(await run(CHANGE_OPTION, { id: option.id, value: ' RED' })).toMatchObject({ errors: [{ field: 'value' }] })
  expect(await run(ADD_OPTION, { input: { customFieldId: field.id, value: 'green' } })).toMatchObject({
    errors: [{ field: 'value' }],
  })
})

test('only a selection has something to choose from', async () => {
  const field = await aField()
  const payload = await run(ADD_OPTION, { input: { customFieldId: field.id, value: 'x' } })
  expect(payload).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'customFieldId' }] })
  expect((await run(ADD_OPTION, { input: { customFieldId: '999999', value: 'x' } })).__typename).toBe('NotFoundError')
  const selection = await aSelection('a')
  expect((await run(UPDATE, { id: selection.id, input: { type: 'INPUT' } })).customField).toMatchObject({ values: [] })
})

test('an option is found under its own field only, when one is named', async () => {
  const [field, other] = [await aSelection('a'), await aSelection('b')]
  const [{ id }] = field.selectOptions
  const query = 'query ($id: ID!, $f: ID) { result: customFieldSelectOption(id: $id, customFieldId: $f) { value } }'
  expect(await run(query, { id, f: field.id })).toEqual({ value: 'a' })
  expect(await run(query, { id, f: other.id })).toBeNull()
  expect((await run(CHANGE_OPTION, { id, customFieldId: other.id, value: 'c' })).__typename).toBe('NotFoundError')
  expect((await run(DELETE_OPTION, { id, customFieldId: other.id })).__typename).toBe('NotFoundError')
})

test('of two changes of one version, one wins', async () => {
  const field = await aField()
  const both = await Promise.all(
    ['One', 'Two'].map((label) => run(UPDATE, { id: field.id, input: { label: `${field.label} ${label}`, expectedVersion: 1 } })),
  )
  expect(both.map(({ __typename }) => __typename).toSorted()).toEqual(['ConflictError', 'UpdateCustomFieldSuccess'])
  expect(both.find(({ __typename }) => __typename === 'ConflictError').currentVersion).toBe(2)
})

test('a field says something of a product, and something else of its variants', async () => {
  const product = await aProduct(stack, shop)
  const [s, m] = [await aVariant(stack, shop, product), await aVariant(stack, shop, product)]
  const field = await aField()
  const whole = await say(product, field, 'Hand wash')
  expect(whole).toMatchObject({
    product: { number: product, customFieldValueCount: 1 },
    values: [{ value: 'Hand wash', variantNumber: null }],
  })
  const each = await say(product, field, 'Dry clean', { variantIds: [String(s), String(m), String(s)] })
  expect(each.values.map((value: { variantNumber: number }) => value.variantNumber)).toEqual([s, m])
  expect(await say(product, field, 'Again', { variantIds: [String(m)] })).toMatchObject({ errors: [{ field: 'customFieldId' }] })
  expect(await say(product, field, 'Again')).toMatchObject({ errors: [{ field: 'customFieldId' }] })
  expect(await saidOf(product)).toHaveLength(3)
})

test('of a selection it says one of its options, whatever its case', async () => {
  const product = await aProduct(stack, shop)
  const field = await aSelection('Café', 'Tea')
  expect(await say(product, field, 'Milk')).toMatchObject({
    errors: [{ field: 'value', message: 'Expected "value" to be one of "Café", "Tea", got "Milk".' }],
  })
  expect(await say(product, field, 'Cafe')).toMatchObject({ errors: [{ field: 'value' }] })
  const { values } = await say(product, field, 'CAFÉ')
  expect(values).toMatchObject([
    { value: 'Café', selectOptionNumber: field.selectOptions[0].number, customField: { type: 'SELECTION' } },
  ])
  const [{ id }] = values
  expect((await run(CHANGE, { id, value: 'TEA' })).customFieldValue).toMatchObject({ value: 'Tea' })
  expect(await run(CHANGE, { id, value: 'Milk' })).toMatchObject({ errors: [{ field: 'value' }] })
  await run(CHANGE_OPTION, { id: field.selectOptions[1].id, value: 'Green tea' })
  expect(await saidOf(product)).toMatchObject([{ value: 'Green tea' }])
  expect(await run(UPDATE, { id: field.id, input: { type: 'TEXT' } })).toMatchObject({ errors: [{ field: 'type' }] })
  await run(UPDATE, { id: field.id, input: { values: ['Café'] } })
  expect(await saidOf(product)).toEqual([])
})

test('search finds the current values, and no earlier ones', async () => {
  const product = await aProduct(stack, shop)
  const [text, choice] = [await aField(), await aSelection('Zwetschge', 'Mirabelle')]
  const { values } = await say(product, text, 'Quittengelee')
  await say(product, choice, 'Zwetschge')
  expect(await found('quittengelee', 'CUSTOM_FIELDS')).toEqual([product])
  expect(await found('zwetschge', 'CUSTOM_FIELDS_SELECTS')).toEqual([product])
  await run(CHANGE, { id: values[0].id, value: 'Apfelmus' })
  await run(CHANGE_OPTION, { id: choice.selectOptions[0].id, value: 'Reneklode' })
  expect(await found('quittengelee', 'CUSTOM_FIELDS')).toEqual([])
  expect(await found('apfelmus', 'CUSTOM_FIELDS')).toEqual([product])
  expect(await found('zwetschge', 'CUSTOM_FIELDS_SELECTS')).toEqual([])
  expect(await found('reneklode', 'CUSTOM_FIELDS_SELECTS')).toEqual([product])
  await run(DELETE, { id: text.id })
  await run(DELETE_OPTION, { id: choice.selectOptions[0].id })
  expect(await found('apfelmus', 'CUSTOM_FIELDS')).toEqual([])
  expect(await found('reneklode', 'CUSTOM_FIELDS_SELECTS')).toEqual([])
})

test('what is not there, or belongs to another product, is named', async () => {
  const [product, other] = [await aProduct(stack, shop), await aProduct(stack, shop)]
  const theirs = await aVariant(stack, shop, other)
  const field = await aField()
  expect((await say(999_999, field, 'x')).message).toMatch(/product/)
  expect((await say(product, { id: '999999' }, 'x')).message).toMatch(/custom field/)
  expect((await say(product, field, 'x', { variantIds: [String(theirs)] })).message).toMatch(/variant of this product/)
  expect(await say(product, field, '')).toMatchObject({ errors: [{ field: 'value' }] })
  expect(await say(product, field, 'x'.repeat(5_001))).toMatchObject({ errors: [{ field: 'value' }] })
  const { values } = await say(product, field, 'x')
  const [{ id }] = values
  expect((await run(CHANGE, { id, productId: String(other), value: 'y' })).__typename).toBe('NotFoundError')
  expect((await run(UNSAY, { id, productId: String(other) })).__typename).toBe('NotFoundError')
  expect((await run(UNSAY, { id, productId: String(product) })).__typename).toBe('DeleteProductCustomFieldValueSuccess')
})

test('another store sees and changes none of it', async () => {
  const stranger = await stack.aStore()
  const product = await aProduct(stack, shop)
  const field = await aSelection('a')
  const [option] = field.selectOptions
  const { values } = await say(product, field, 'a')
  expect(await run(READ, { id: field.id }, stranger)).toBeNull()
  const changes: [string, Record<string, unknown>][] = [
    [UPDATE, { id: field.id, input: { label: 'Mine' } }],
    [DELETE, { id: field.id }],
    [ADD_OPTION, { input: { customFieldId: field.id, value: 'b' } }],
    [CHANGE_OPTION, { id: option.id, value: 'b' }],
    [DELETE_OPTION, { id: option.id }],
    [CHANGE, { id: values[0].id, value: 'a' }],
    [UNSAY, { id: values[0].id }],
    [SAY, { input: { productId: String(await aProduct(stack, stranger)), customFieldId: field.id, value: 'a' } }],
  ]
  for (const [query, variables] of changes) expect((await run(query, variables, stranger)).__typename).toBe('NotFoundError')
})

test('values of three products are read with as many statements as those of one', async () => {
  const field = await aSelection('a')
  const products = await Promise.all(Array.from({ length: 3 }, () => aProduct(stack, shop)))
  for (const product of products) await say(product, field, 'a')
  const queries = watchStatements()
  const statements = async (ids: readonly number[]) => {
    const before = queries.texts().length
    const fields =
      'customFieldValues { value selectOption { value } customField { values } } reviews { totalCount nodes { rating } }'
    await stack.ask(shop, `{ ${ids.map((id) => `p${id}: product(id: "${id}") { ${fields} }`).join(' ')} }`)
    return queries.texts().length - before
  }
  try {
    expect(await statements(products)).toBe(await statements(products.slice(0, 1)))
  } finally {
    queries.stop()
  }
})
