import type { ArrowFunctionExpression, CallExpression, Expression } from 'oxc-parser'
import { codeOf, generatedFrom, tableOf } from './markdown.ts'
import { constantOf, docstringBefore, type Located, numberOf, objectOf, optionSource, textOf } from './option-source.ts'

/** An option of `createGateway` and of a configuration file. */
export type GatewayOption = {
  /** `retries.budget.ratio`; `NAME` stands for a name that is chosen, `[]` for items of a list. */
  readonly path: string
  /** Permitted values; empty where options stand below it, or where code decides. */
  readonly values: string
  /** Docstring without its default. */
  readonly meaning: string
  readonly fallback: string
}

const OPTIONS_FILE = 'gateway/options/gateway-options.ts'
const SOURCES_FILE = 'gateway/planning/sources/source-options.ts'

/** What a schema accepts: objects with options, or plain values. */
type Schema = { readonly objects: readonly Located[]; readonly suffix: string; readonly values: string }

const plain = (values: string): Schema => ({ objects: [], suffix: '', values })

/** Reads a schema of zod as it stands in the source. */
function schemaOf({ node, source }: Located): Schema {
  if (node.type === 'Identifier') {
    const constant = constantOf(node.name, source)
    return constant ? schemaOf(constant) : plain('')
  }
  if (node.type === 'ArrowFunctionExpression') return returnedBy(node, source)
  if (node.type !== 'CallExpression') return plain('')
  const { callee } = node
  if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier') {
    const isZod = callee.object.type === 'Identifier' && callee.object.name === 'z'
    return isZod ? schemaOfZod(callee.property.name, node, source) : schemaOf({ node: callee.object, source })
  }
  return callee.type === 'Identifier' ? schemaOfHelper(callee.name, node, source) : plain('')
}

function returnedBy({ body }: ArrowFunctionExpression, source: Located['source']): Schema {
  if (body.type !== 'BlockStatement') return schemaOf({ node: body, source })
  const returned = body.body.find((statement) => statement.type === 'ReturnStatement')
  return returned?.argument ? schemaOf({ node: returned.argument, source }) : plain('')
}

function schemaOfHelper(name: string, call: CallExpression, source: Located['source']): Schema {
  const args = expressionsOf(call)
  const located = args.map((node) => ({ node, source }))
  const bounds = located.map(numberOf)
  switch (name) {
    case 'options':
      return { objects: located.slice(0, 1), suffix: '', values: '' }
    case 'chosen':
      return merged(located.slice(1))
    case 'wholeNumber':
      return plain(bounds.includes(null) ? 'whole number' : bounds.map((bound) => bound?.toLocaleString('en')).join('–'))
    case 'flag':
      return plain('true or false')
    case 'fn':
      return plain('function')
    case 'httpUrl':
      return plain('http or https URL')
    case 'text':
      return plain(textIn(located) || 'text')
    default: {
      const constant = constantOf(name, source)
      return constant ? schemaOf(constant) : plain('')
    }
  }
}

function schemaOfZod(name: string, call: CallExpression, source: Located['source']): Schema {
  const args = expressionsOf(call)
  const located = args.map((node) => ({ node, source }))
  const inner = name === 'record' ? located[1] : name === 'array' ? located[0] : undefined
  if (inner) {
    const schema = schemaOf(inner)
    if (schema.objects.length > 0) return { ...schema, values: '', suffix: name === 'record' ? '.NAME' : '[]' }
  }
  const list = args.find((node) => node.type === 'ArrayExpression')
  if (list?.type !== 'ArrayExpression' || name === 'enum') return plain(textIn(located))
  return merged(list.elements.flatMap((node) => (node && node.type !== 'SpreadElement' ? [{ node, source }] : [])))
}

function merged(located: readonly Located[]): Schema {
  const schemas = located.map(schemaOf)
  const values = schemas.map((schema) => schema.values).filter((text) => text !== '')
  return { objects: schemas.flatMap(({ objects }) => objects), suffix: '', values: values.join(', or ') }
}

const expressionsOf = ({ arguments: args }: CallExpression): readonly Expression[] =>
  args.flatMap((argument) => (argument.type === 'SpreadElement' ? [] : [argument]))

/** The expectation of a schema: its text among the arguments. */
const textIn = (args: readonly Located[]): string => args.map(textOf).find((text) => text !== null) ?? ''

const DEFAULT = /(?:^|\s)Default: (.+?)\.?$/

/** Options of an object and of those below it, in the order of the source. */
function optionsOf(object: Located, prefix: string, seen: Map<unknown, string>): readonly GatewayOption[] {
  const found = objectOf(object)
  if (!found) return []
  const { node, source } = found
  seen.set(node, prefix)
  return node.properties.flatMap((property) => {
    if (property.type === 'SpreadElement') return optionsOf({ node: property.argument, source }, prefix, new Map())
    if (property.key.type !== 'Identifier') return []
    const text = docstringBefore(property.start, source)
    const { objects, suffix, values } = schemaOf({ node: property.value, source })
    const path = `${prefix}${property.key.name}`
    const [earlier] = objects.flatMap((each) => seen.get(objectOf(each)?.node) ?? [])
    const meaning = [text.replace(DEFAULT, ''), earlier ? `The same as ${codeOf(earlier.replace(/\.$/, ''))}.` : '']
    const row = { path, values, meaning: meaning.join(' ').trim(), fallback: DEFAULT.exec(text)?.[1] ?? '' }
    return [row, ...(earlier ? [] : objects.flatMap((each) => optionsOf(each, `${path}${suffix}.`, seen)))]
  })
}

/** Every option, with those of sources of a supergraph first. */
export function gatewayOptions(): readonly GatewayOption[] {
  const [sources, shape] = [
    constantOf('supergraphSourceOptions', optionSource(SOURCES_FILE)),
    constantOf('gatewayOptionsShape', optionSource(OPTIONS_FILE)),
  ]
  if (!sources || !shape) throw new Error('Expected supergraphSourceOptions and gatewayOptionsShape to be constants.')
  const seen = new Map<unknown, string>()
  const all = [
    ...schemaOf(sources).objects.flatMap((each) => optionsOf(each, 'supergraph.', seen)),
    ...optionsOf(shape, '', seen),
  ]
  // Variants share options, such as `pollSeconds` of every source.
  return all.filter(
    ({ path, meaning }, index) =>
      !all.slice(0, index).some((earlier) => earlier.path === path && (meaning === '' || earlier.meaning === meaning)),
  )
}

const optionTable = (all: readonly GatewayOption[], prefix: string): string =>
  tableOf(
    ['option', 'values', 'default', 'meaning'],
    all.map(({ path, values, fallback, meaning }) => [codeOf(path.slice(prefix.length)), values, fallback, meaning]),
  )

function sectionOf(name: string, all: readonly GatewayOption[]): string {
  const own = all.find(({ path }) => path === name)
  const intro = [own?.meaning ?? '', own?.fallback ? `Default: ${own.fallback}.` : ''].join(' ').trim()
  const rows = all.filter((option) => option !== own)
  return `## ${codeOf(name)}\n${intro && `${intro}\n\n`}${optionTable(rows, `${name}.`)}\n`
}

/** Options of the gateway as its docstrings state them, by their first name. */
export function optionsPage(): string {
  const groups = Map.groupBy(gatewayOptions(), ({ path }) => /^\w+/.exec(path)?.[0] ?? '')
  const single = [...groups.values()].filter((all) => all.length === 1).flat()
  const sections = [...groups].filter(([, all]) => all.length > 1).map(([name, all]) => sectionOf(name, all))
  return `# Options of the gateway
Options of \`createGateway\` and of [\`atrium.config.ts\`](../gateway/configuration.md), which also takes [settings](settings.md#npx-node-gatewaymaints). \`NAME\` is a name that you choose, \`[]\` an item of a list.

${optionTable(single, '')}

${sections.join('\n')}
${generatedFrom('gateway/options')}`
}
