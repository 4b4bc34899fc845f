import { isUnionType } from 'graphql'
import { expect } from 'vitest'
import type { StoreStack, TestStore } from './store.ts'

/** How the failures of the graph are selected. */
const FAILURES: Readonly<Record<string, string>> = {
  ValidationError: 'errors { field message }',
  NotFoundError: 'message',
  ConflictError: 'message currentVersion',
  QuotaExceededError: 'field limit retryAfterSeconds',
}

/**
 * Runs mutations by name and gives their payloads. `selected` is what is selected of the answered
 * thing, by its type.
 */
export const changer =
  (stack: StoreStack, selected: Readonly<Record<string, string>>) =>
  // biome-ignore lint/suspicious/noExplicitAny: every payload is another
  async (who: TestStore, name: string, variables: Readonly<Record<string, unknown>>): Promise<any> => {
    const { schema } = stack.subgraph
    const field = schema.getMutationType()?.getFields()[name]
    const payload = schema.getType(`${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`)
    if (!field || !isUnionType(payload)) throw new Error(`There is no mutation ${name} with a payload.`)

    const given = field.args.filter((argument) => argument.name in variables)
    const members = payload.getTypes().map((member) => {
      if (!member.name.endsWith('Success')) return `... on ${member.name} { ${FAILURES[member.name]} }`
      const answered = Object.values(member.getFields()).map(({ name: key, type }) => {
        const selection = selected[String(type).replace(/[![\]]/g, '')]
        return selection === undefined ? key : `${key} { ${selection} }`
      })
      return `... on ${member.name} { ${answered.join(' ')} }`
    })
    const list = (each: (argument: { readonly name: string; readonly type: unknown }) => string) =>
      given.length === 0 ? '' : `(${given.map(each).join(', ')})`
    const declared = list((argument) => `$${argument.name}: ${argument.type}`)
    const passed = list((argument) => `${argument.name}: $${argument.name}`)
    const source = `mutation ${declared} { ${name}${passed} { __typename ${members.join(' ')} } }`
    const { data, errors } = await stack.ask(who, source, variables)
    expect(errors).toBeUndefined()
    return data[name]
  }
