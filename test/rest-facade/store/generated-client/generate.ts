/**
 * Writes the types of a store's client, made from an OpenAPI document, as a merchant's own program
 * would: `generate.ts <address or file of the document> <file>`.
 */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const typescript = new URL('typescript.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: typescript, shortCircuit: true } : next(specifier, context),
})

const [document = '', file = ''] = process.argv.slice(2)
const { default: openapiTS, astToString } = await import('openapi-typescript')
// A default is what absence means; such a key may be absent from a body.
writeFileSync(file, astToString(await openapiTS(new URL(document), { defaultNonNullable: false })))
