import {
  type GraphQLFormattedError,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { refusal } from '../operations/errors.ts'
import { filesIn } from './file-upload.ts'

/** The scalar of files, by its usual name. */
const SCALAR = 'Upload'

/** Errors of files that stand where the operation has no variable of the scalar `Upload`. */
export function misplacedFiles(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Readonly<Record<string, unknown>>,
): readonly GraphQLFormattedError[] {
  return filesIn(variables).flatMap(({ file, path: [name = '', ...rest] }) => {
    const definition = definitions.find(({ variable }) => variable.name.value === name)
    const at = ['variables', name, ...rest].join('.')
    if (!definition) {
      return [refusal('BAD_USER_INPUT', `Expected the operation to have a variable "$${name}", where "map" sends a file.`)]
    }
    // Its declarations have no overload for a type that may be any.
    const found = typeAt(typeFromAST(schema, definition.type as never), rest)
    if (found === SCALAR) return []
    const message = `Expected a variable of the scalar ${SCALAR} at "${at}", where "map" sends the file "${file.key}", got ${found}.`
    return [refusal('BAD_USER_INPUT', message)]
  })
}

/** The name of the type at a path below a variable. */
function typeAt(type: unknown, path: readonly string[]): string {
  // A type of the schema, or undefined where it has none.
  let current = type as GraphQLInputType | undefined
  for (const key of path) {
    const nullable = isNonNullType(current) ? current.ofType : current
    if (isListType(nullable)) current = nullable.ofType
    else if (isInputObjectType(nullable)) current = ownValue(nullable.getFields(), key)?.type
    else return 'a part of another value'
  }
  return String(isNonNullType(current) ? current.ofType : (current ?? 'no type'))
}
