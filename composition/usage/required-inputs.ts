import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { ownValue } from '../../platform/collections/lookup-table.ts'

/** An argument or an input field that may be left out now, and must be given then. */
export type BecameRequired = {
  /** Of the field with the argument, or of the input field. */
  readonly type: string
  readonly field: string
  /** How graphql-js begins the description of a change of its type. */
  readonly changedType: string
  /** The description where its type is the same. */
  readonly lostDefault: string
}

/** Every argument and input field of both schemas that is required in `proposed` alone. */
export function becameRequired(current: GraphQLSchema, proposed: GraphQLSchema): readonly BecameRequired[] {
  return Object.values(current.getTypeMap()).flatMap((type): readonly BecameRequired[] => {
    const next = proposed.getType(type.name)
    if (isInputObjectType(type) && isInputObjectType(next)) {
      const isNew = isRequiredNow<GraphQLInputField>(next.getFields(), isRequiredInputField)
      const fields = Object.values(type.getFields()).filter(isNew)
      return fields.map(({ name }) => ({ type: type.name, field: name, ...descriptions(`${type.name}.${name}`, ' changed') }))
    }
    if (!(isObjectType(type) && isObjectType(next)) && !(isInterfaceType(type) && isInterfaceType(next))) return []
    return Object.values(type.getFields()).flatMap(({ name: field, args }) => {
      const nextArgs = Object.fromEntries((ownValue(next.getFields(), field)?.args ?? []).map((each) => [each.name, each]))
      const isNew = isRequiredNow<GraphQLArgument>(nextArgs, isRequiredArgument)
      return args.filter(isNew).map(({ name }) => ({
        type: type.name,
        field,
        ...descriptions(`${type.name}.${field} arg ${name}`, ' has changed'),
      }))
    })
  })
}

const descriptions = (subject: string, verb: string) => ({
  changedType: `${subject}${verb} type from `,
  lostDefault: `${subject} lost its default value and is required.`,
})

const isRequiredNow =
  <Input extends { readonly name: string }>(next: Readonly<Record<string, Input>>, isRequired: (input: Input) => boolean) =>
  (input: Input): boolean => {
    const later = ownValue(next, input.name)
    return later !== undefined && isRequired(later) && !isRequired(input)
  }

/** The coordinates of fields, arguments, input fields and directives whose type is `name`. */
export function holdersOf(name: string, schema: GraphQLSchema): readonly string[] {
  const isOfType = ({ type }: { readonly type: GraphQLType }) => getNamedType(type).name === name
  const holders = schema.getDirectives().flatMap(({ name, args }) => (args.some(isOfType) ? [`@${name}`] : []))
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(isOfType)
      holders.push(...fields.map((field) => `${type.name}.${field.name}`), ...(fields.length > 0 ? [`${type.name}.*`] : []))
    } else if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        if (isOfType(field)) holders.push(`${type.name}.${field.name}`)
        holders.push(...field.args.filter(isOfType).map((arg) => `${type.name}.${field.name}(${arg.name}:)`))
      }
    }
  }
  return holders
}
