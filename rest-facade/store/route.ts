/**
 * Rows of the store's REST API, and how to write them.
 *
 * 1. The contract: `openapi.json` has the operation already. What of it does not fit the graph is said there, with the words that its `info.description` explains
 *    (`x-input`, `x-words`, `x-format` …), and not in code.
 * 2. The document: `<noun>/<operationId>.graphql`, one operation, named as the operationId in PascalCase. Names in the answer are the wire's, by aliases
 *    (`id: number page_title: pageTitle`); what several operations select is a fragment `Wire<Thing>` in `<noun>/<thing>.graphql`. An envelope is not selected: the
 *    contract has it. A single field stands for a value (`category_ids: categories { number }`).
 *    Variables fill themselves: `$id`, `$optionId` from `{id}`, `{option_id}`; `$locale` from `?locale=`; `$first`, `$offset` from `limit`, `page`, which cut
 *    a page out of the answer where `limit` has no default; `$input` from the
 *    body (without `$input`, the body's keys fill the variables of their names); `$idempotencyKey`, `$expectedVersion` (or these fields of `$input`) from
 *    `Idempotency-Key`, `If-Match`.
 *    A mutation is called `result`, selects `__typename`, its success, and `...WireInvalid ...WireMissing ...WireConflict` as its union has them.
 * 3. The row, in `<noun>/routes.ts`, concatenated in `routes.ts`:
 *
 *      route({ run: GetCategoryDocument, answer: 'productCategory' })
 *      route({ run: CreateCategoryDocument, answer: 'result.productCategory' })
 *      route({ run: DeleteCategoryDocument })
 *
 *    `answer` is the way to what the contract answers; null on it is 404. None where the contract answers "OK" or nothing. `absence` says what is missing where
 *    the contract has 404 for an empty list.
 * 4. The test, in `test/rest-facade/store/<noun>.test.ts`: `const { ask } = await startStoreStack()`; `ask` holds every answer against the contract.
 *
 * What does not fit is refused at start, and said in full: a field that is not documented, types that differ, a variable that nothing fills.
 */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Parameters } from './wire/parameters.ts'

/** One operation of the contract bound to one operation of the graph. */
export type Route = {
  readonly run: TypedDocumentNode<unknown, never>
  /** Names on the way to what is answered, joined by points; null where nothing of the data is. */
  readonly answer: string | null
  readonly failures: Readonly<Record<string, FailureStatus>>
  /** Fields of `$input` that parameters fill, by the names of these. */
  readonly input: Readonly<Record<string, string>>
  // Methods, not properties: the types of a row are taken off here.
  absence?(data: unknown): string | null
  variables?(parameters: Parameters): Readonly<Record<string, unknown>>
  shape?(part: unknown): unknown
}

type FailureStatus = number | ((failure: Readonly<Record<string, unknown>>) => number)

type Row<Data, Variables> = {
  readonly run: TypedDocumentNode<Data, Variables>
  readonly answer?: (keyof Data & string) | `${keyof Data & string}.${string}`
  /** Fields of `$input` that a parameter of the path fills: `{ productId: 'id' }`. */
  readonly input?: Readonly<Record<string, string>>
  /** Statuses of failures that only this operation has, by their types in the graph. */
  readonly failures?: Readonly<Record<string, FailureStatus>>
  /** Variables that are not simply a parameter. */
  readonly variables?: (parameters: Parameters) => Partial<NoInfer<Variables>>
  /** What is missing, where the contract has 404 for what is an empty list or nothing in the graph; null: it is there. */
  readonly absence?: (data: Data) => string | null
  /** Puts the part in another form, where the contract nests what the graph does not. Its keys are the wire's. */
  // biome-ignore lint/suspicious/noExplicitAny: the part is what the way of `answer` leads to, which types do not follow
  readonly shape?: (part: any) => unknown
}

/** Ties the types of a row: the document gives those of the variables and the first step of the answer. */
export function route<Data, Variables extends Record<string, unknown>>({
  run,
  answer,
  input,
  failures,
  variables,
  absence,
  shape,
}: Row<Data, Variables>): Route {
  return {
    run: run as TypedDocumentNode<unknown, never>,
    answer: answer ?? null,
    input: input ?? {},
    failures: failures ?? {},
    ...(variables && { variables: (parameters: Parameters) => variables(parameters) }),
    ...(absence && { absence: (data: unknown) => absence(data as Data) }),
    ...(shape && { shape }),
  }
}
