import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }`
const QUESTION = 'id number label type area required position deletable selectOptions version'
const ASK = `mutation ($input: CreateCheckoutCustomFieldInput!) { result: createCheckoutCustomField(input: $input) {
  __typename ... on CreateCheckoutCustomFieldSuccess { checkoutCustomField { ${QUESTION} } } ... on ValidationError { errors { field message } } } }`
const ASK_ANEW = `mutation ($id: ID!, $input: UpdateCheckoutCustomFieldInput!) { result: updateCheckoutCustomField(id: $id, input: $input) {
  __typename ... on UpdateCheckoutCustomFieldSuccess { checkoutCustomField { ${QUESTION} } } ${FAILURES} } }`
const ANSWER = `mutation ($input: CreateCustomerAdditionalFieldInput!) { result: createCustomerAdditionalField(input: $input) {
  __typename ... on CreateCustomerAdditionalFieldSuccess { customerAdditionalField { id number value customer { email version } checkoutCustomField { label } } }
  ${FAILURES} } }`
const ANSWER_ANEW = `mutation ($id: ID!, $customerId: ID, $input: UpdateCustomerAdditionalFieldInput!) {
  result: updateCustomerAdditionalField(id: $id, customerId: $customerId, input: $input) {
  __typename ... on UpdateCustomerAdditionalFieldSuccess { customerAdditionalField { value checkoutCustomField { label } customer { version } } } ${FAILURES} } }`
const DELETE_ANSWER = `mutation ($id: ID!, $customerId: ID) { result: deleteCustomerAdditionalField(id: $id, customerId: $customerId) { __typename } }`
const DELETE_QUESTION = `mutation ($id: ID!) { result: deleteCheckoutCustomField(id: $id) { __typename ... on ValidationError { errors { field message } } } }`

const result = async (query: string, variables: Record<string, unknown>, who = shop) => {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data.result
}
const aQuestion = async (input: Record<string, unknown>, who = shop) =>
  (await result(ASK, { input: { label: 'Question', ...input } }, who)).checkoutCustomField
let people = 0
const aCustomer = async (who = shop) => {
  people += 1
  const query = `mutation ($email: String!) { result: createCustomer(input: { email: $email }) { ... on CreateCustomerSuccess { customer { id number } } } }`
  return (await result(query, { email: `p${people}@x.org` }, who)).customer
}
const answer = (customerId: string, checkoutCustomFieldId: string, value: string, who = shop) =>
  result(ANSWER, { input: { customerId, checkoutCustomFieldId, value } }, who)

test('a question is added as the last unless it has a position, and questions are sorted by position', async () => {
  const asker = await stack.aStore({ name: 'Asker' })
  expect(await aQuestion({ label: 'Birthday', type: 'DATE', area: 'CONTACT', required: true }, asker)).toMatchObject({
    label: 'Birthday',
    type: 'DATE',
    area: 'CONTACT',
    required: true,
    position: 1,
    deletable: true,
    selectOptions: [],
    version: 1,
  })
  await aQuestion({ label: 'Size', type: 'SELECT', selectOptions: ['S', 'M'], position: 9 }, asker)
  await aQuestion({ label: 'Last' }, asker)
  await aQuestion({ label: 'Second', position: 1 }, asker)
  const LIST = `query ($first: Int, $after: String) { checkoutCustomFields(first: $first, after: $after) {
    nodes { label position } totalCount pageInfo { endCursor } } }`
  const first = (await stack.ask(asker, LIST, { first: 2 })).data.checkoutCustomFields
  const second = (await stack.ask(asker, LIST, { first: 2, after: first.pageInfo.endCursor })).data.checkoutCustomFields
  expect([...first.nodes, ...second.nodes]).toEqual([
    { label: 'Birthday', position: 1 },
    { label: 'Second', position: 1 },
    { label: 'Size', position: 9 },
    { label: 'Last', position: 10 },
  ])
  expect(first.totalCount).toBe(4)
})

test.each([
  [{ label: ' ' }, 'label'],
  [{ label: 'x'.repeat(201) }, 'label'],
  [{ label: 'nul \0' }, 'label'],
  [{ position: 0 }, 'position'],
  [{ position: 10_001 }, 'position'],
  [{ type: 'SELECT' }, 'selectOptions'],
  [{ type: 'SELECT', selectOptions: [] }, 'selectOptions'],
  [{ type: 'SELECT', selectOptions: ['a', ''] }, 'selectOptions.1'],
  [{ type: 'SELECT', selectOptions: ['a', 'a'] }, 'selectOptions.1'],
  [{ type: 'SELECT', selectOptions: Array.from({ length: 251 }, String) }, 'selectOptions'],
  [{ type: 'TEXT', selectOptions: ['a'] }, 'selectOptions'],
])('the question %j is refused by its field', async (input, field) => {
  expect(await result(ASK, { input: { label: 'Fine', ...input } })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field }],
  })
})

test('a question that is not deletable stays until it is made deletable', async () => {
  const { id } = await aQuestion({ label: 'Keep', deletable: false })
  expect(await result(DELETE_QUESTION, { id })).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'id' }] })
  expect(await result(ASK_ANEW, { id, input: { deletable: true, expectedVersion: 1 } })).toMatchObject({
    checkoutCustomField: { label: 'Keep', deletable: true, version: 2 },
  })
  expect(await result(ASK_ANEW, { id, input: { label: 'x', expectedVersion: 1 } })).toMatchObject({ currentVersion: 2 })
  for (const field of ['label', 'type', 'area', 'required', 'position', 'deletable']) {
    expect(await result(ASK_ANEW, { id, input: { [field]: null } })).toMatchObject({ errors: [{ field }] })
  }
  expect((await result(DELETE_QUESTION, { id })).__typename).toBe('DeleteCheckoutCustomFieldSuccess')
  expect((await result(DELETE_QUESTION, { id })).__typename).toBe('NotFoundError')
})

test('options go with the type that has them', async () => {
  const { id } = await aQuestion({ type: 'SELECT', selectOptions: ['a', 'b'] })
  expect(await result(ASK_ANEW, { id, input: { selectOptions: ['c'] } })).toMatchObject({
    checkoutCustomField: { selectOptions: ['c'] },
  })
  expect(await result(ASK_ANEW, { id, input: { type: 'INPUT' } })).toMatchObject({ checkoutCustomField: { selectOptions: [] } })
  expect(await result(ASK_ANEW, { id, input: { type: 'SELECT' } })).toMatchObject({ errors: [{ field: 'selectOptions' }] })
})

test.each([
  ['TEXT', 'two\nlines', true],
  ['TEXT', ' ', false],
  ['TEXT', 'x'.repeat(5_001), false],
  ['INPUT', 'one line', true],
  ['INPUT', 'two\nlines', false],
  ['INPUT', 'nul \0', false],
  ['SELECT', 'M', true],
  ['SELECT', 'm', false],
  ['CHECKBOX', 'true', true],
  ['CHECKBOX', 'perhaps', false],
  ['DATE', '2024-02-29', true],
  ['DATE', '2023-02-29', false],
  ['DATE', 'tomorrow', false],
])('to a question of type %s the answer %j is fit: %s', async (type, value, isFit) => {
  const { id } = await aQuestion({ type, ...(type === 'SELECT' && { selectOptions: ['S', 'M'] }) })
  const payload = await answer((await aCustomer()).id, id, value)
  if (isFit) expect(payload.customerAdditionalField.value).toBe(value)
  else expect(payload).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'value' }] })
})

test('a customer answers each question once, also with four concurrent requests, and answers are in the order of the questions', async () => {
  const customer = await aCustomer()
  const [late, early] = [await aQuestion({ label: 'Late', position: 900 }), await aQuestion({ label: 'Early', position: 899 })]
  const results = await Promise.all(['1', '2', '3', '4'].map((value) => answer(customer.id, late.id, value)))
  expect(results.map(({ __typename }) => __typename).filter((name) => name === 'ValidationError')).toHaveLength(3)
  const made = await answer(String(customer.number), String(early.number), 'first')
  expect(made.customerAdditionalField).toMatchObject({
    value: 'first',
    customer: { version: 3 },
    checkoutCustomField: { label: 'Early' },
  })
  const { data } = await stack.ask(
    shop,
    `{ customer(id: "${customer.id}") { additionalFields { checkoutCustomField { label } } } }`,
  )
  const labels = data.customer.additionalFields.map(
    (field: { checkoutCustomField: { label: string } }) => field.checkoutCustomField.label,
  )
  expect(labels).toEqual(['Early', 'Late'])

  const { id } = made.customerAdditionalField
  expect(await result(ANSWER_ANEW, { id, input: { value: 'changed' } })).toMatchObject({
    customerAdditionalField: { value: 'changed', customer: { version: 4 } },
  })
  expect(await result(ANSWER_ANEW, { id, input: { checkoutCustomFieldId: late.id } })).toMatchObject({
    errors: [{ field: 'checkoutCustomFieldId' }],
  })
  for (const field of ['value', 'checkoutCustomFieldId']) {
    expect(await result(ANSWER_ANEW, { id, input: { [field]: null } })).toMatchObject({ errors: [{ field }] })
  }
  expect(await result(ANSWER_ANEW, { id, input: { value: 'x', expectedVersion: 1 } })).toMatchObject({ currentVersion: 4 })
  const stranger = await aCustomer()
  expect((await result(ANSWER_ANEW, { id, customerId: stranger.id, input: { value: 'x' } })).__typename).toBe('NotFoundError')
  expect((await result(DELETE_ANSWER, { id, customerId: stranger.id })).__typename).toBe('NotFoundError')
  expect((await result(DELETE_ANSWER, { id, customerId: customer.id })).__typename).toBe('DeleteCustomerAdditionalFieldSuccess')
})

test('an answer stays when its question changes type, is deleted with the question, and requires both to exist', async () => {
  const customer = await aCustomer()
  const question = await aQuestion({ type: 'SELECT', selectOptions: ['a'] })
  const { id } = (await answer(customer.id, question.id, 'a')).customerAdditionalField
  await result(ASK_ANEW, { id: question.id, input: { selectOptions: ['b'] } })
  expect(await result(ANSWER_ANEW, { id, input: {} })).toMatchObject({ customerAdditionalField: { value: 'a' } })
  expect(await result(ANSWER_ANEW, { id, input: { value: 'a' } })).toMatchObject({ errors: [{ field: 'value' }] })
  await result(DELETE_QUESTION, { id: question.id })
  expect((await stack.ask(shop, `{ customerAdditionalField(id: "${id}") { value } }`)).data).toEqual({
    customerAdditionalField: null,
  })
  expect((await answer(customer.id, question.id, 'a')).__typename).toBe('NotFoundError')
  expect((await answer('2147483647', question.id, 'a')).__typename).toBe('NotFoundError')
})

test('another store sees and changes nothing of it', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const [question, customer] = [await aQuestion({}), await aCustomer()]
  const { id } = (await answer(customer.id, question.id, 'mine')).customerAdditionalField
  const seen = `{ customerAdditionalField(id: "${id}") { value } checkoutCustomField(id: "${question.id}") { label } checkoutCustomFields { totalCount } }`
  expect((await stack.ask(other, seen)).data).toEqual({
    customerAdditionalField: null,
    checkoutCustomField: null,
    checkoutCustomFields: { totalCount: 0 },
  })
  const theirs = await aCustomer(other)
  expect((await answer(theirs.id, question.id, 'x', other)).__typename).toBe('NotFoundError')
  expect((await answer(customer.id, (await aQuestion({}, other)).id, 'x', other)).__typename).toBe('NotFoundError')
  expect((await result(ANSWER_ANEW, { id, input: { value: 'x' } }, other)).__typename).toBe('NotFoundError')
  expect((await result(DELETE_ANSWER, { id }, other)).__typename).toBe('NotFoundError')
  expect((await result(ASK_ANEW, { id: question.id, input: { label: 'x' } }, other)).__typename).toBe('NotFoundError')
  expect((await result(DELETE_QUESTION, { id: question.id }, other)).__typename).toBe('NotFoundError')
})
