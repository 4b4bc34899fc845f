import type { Schema } from '@apollo/federation-internals'
import { federationLibrary } from './planner-library.ts'

/** The part of a schema that holds the copy; private in Apollo's types. */
type WithCopy = { apiSchema?: Schema | undefined }

/**
 * Makes a validated schema, which hides no element, its own API schema. Apollo's is a copy without
 * join directives, a third of the memory of a model. Plans are the same without it. No effect where
 * the schema defines `@defer` or `@stream`, which only the copy replaces.
 */
export function planWithoutApiCopy(schema: Schema): void {
  if (['defer', 'stream'].some((name) => schema.directive(name)?.isBuiltIn === false)) return
  schema.toAPISchema = () => schema
  dropCopy(schema)
}

/** The API schema of a schema, made again after `planWithoutApiCopy`. */
export function apiSchemaOf(schema: Schema): Schema {
  const api = federationLibrary().Schema.prototype.toAPISchema.call(schema)
  if (Object.hasOwn(schema, 'toAPISchema')) dropCopy(schema)
  return api
}

function dropCopy(schema: Schema): void {
  const withCopy = schema as unknown as WithCopy // private there
  withCopy.apiSchema = undefined
}
