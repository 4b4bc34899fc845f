import { expect } from 'vitest'
import type { StoreStack, TestStore } from '../support/store.ts'

const IMPORT = `number status isDryRun byteCount bytesRead processed created updated skipped failed failure fileName
  errors(first: 250) { totalCount nodes { row column message } }`
const FAILURES = '... on ValidationError { field message } ... on NotFoundError { message } ... on ConflictError { message }'
const PIECE = 65_536

export type ImportOptions = {
  readonly kind?: 'PRODUCTS' | 'CUSTOMERS' | 'ORDERS'
  readonly format?: 'CSV' | 'JSON_LINES'
  readonly overwrite?: boolean
  readonly isDryRun?: boolean
  readonly source?: string
  readonly takesStock?: boolean
  readonly sendsEvents?: boolean
}

/** Imports and exports of a store, by operations of its owner. */
export function storeImports(stack: StoreStack) {
  const change = async (shop: TestStore, field: string, declared: string, given: string, variables: object) => {
    const { data, errors } = await stack.ask(
      shop,
      `mutation (${declared}) { result: ${field}(${given}) { __typename ... on StoreImportSuccess { storeImport { ${IMPORT} } } ${FAILURES} } }`,
      variables as Record<string, unknown>,
    )
    expect(errors).toBeUndefined()
    return data.result
  }
  const imports = {
    create: (shop: TestStore, input: object) =>
      change(shop, 'createStoreImport', '$input: CreateStoreImportInput!', 'input: $input', {
        input: { kind: 'PRODUCTS', format: 'CSV', ...input },
      }),
    append: (shop: TestStore, id: string, start: number, bytes: Buffer | string) =>
      change(shop, 'appendToStoreImport', '$id: ID!, $input: AppendToStoreImportInput!', 'id: $id, input: $input', {
        id,
        input: { start, bytes: typeof bytes === 'string' ? bytes : bytes.toString('base64') },
      }),
    start: (shop: TestStore, id: string) => change(shop, 'startStoreImport', '$id: ID!', 'id: $id', { id }),
    cancel: (shop: TestStore, id: string) => change(shop, 'cancelStoreImport', '$id: ID!', 'id: $id', { id }),
    async find(shop: TestStore, id: string) {
      const { data, errors } = await stack.ask(shop, `query ($id: ID!) { storeImport(id: $id) { ${IMPORT} } }`, { id })
      expect(errors).toBeUndefined()
      return data.storeImport
    },
    /** The import once it is so: the subgraph runs imports by itself as well. */
    async until(shop: TestStore, id: string, isSo: (about: { status: string; processed: number }) => boolean) {
      for (;;) {
        const about = await imports.find(shop, id)
        if (isSo(about)) return about
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    /** Sends a file and queues its import; its number. */
    async queue(
      shop: TestStore,
      file: string | Buffer,
      options: ImportOptions = {},
      prepare: (id: string) => Promise<unknown> = async () => {},
    ): Promise<string> {
      const created = await imports.create(shop, options)
      expect(created).toMatchObject({ __typename: 'StoreImportSuccess' })
      const id = String(created.storeImport.number)
      const bytes = Buffer.from(file as string)
      for (let start = 0; start < bytes.length; start += PIECE)
        expect(await imports.append(shop, id, start, bytes.subarray(start, start + PIECE))).toMatchObject({
          __typename: 'StoreImportSuccess',
        })
      await prepare(id)
      expect(await imports.start(shop, id)).toMatchObject({ __typename: 'StoreImportSuccess' })
      return id
    },
    /** The import of a file after it has ended. */
    async run(shop: TestStore, file: string | Buffer, options: ImportOptions = {}) {
      const id = await imports.queue(shop, file, options)
      await stack.subgraph.runStoreImports()
      return imports.until(shop, id, ({ status }) => ['COMPLETED', 'CANCELED', 'FAILED'].includes(status))
    },
    /** A whole export, read in pages of this size. */
    async export(shop: TestStore, kind: string, format: string, first = 100): Promise<string> {
      let [text, after, isMore] = ['', null, true]
      while (isMore) {
        const { data, errors } = await stack.ask(
          shop,
          `query ($kind: StoreRecordKind!, $format: StoreRecordFormat!, $first: Int, $after: String) {
            storeExport(kind: $kind, format: $format, first: $first, after: $after) { text endCursor hasNextPage } }`,
          { kind, format, first, after },
        )
        expect(errors).toBeUndefined()
        text += data.storeExport.text
        ;[after, isMore] = [data.storeExport.endCursor, data.storeExport.hasNextPage]
      }
      return text
    },
  }
  return imports
}
