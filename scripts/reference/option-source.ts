import { dirname, join } from 'node:path'
import { type Comment, type Expression, type ObjectExpression, type Program, parseSync } from 'oxc-parser'
import { readText } from './markdown.ts'

/** A parsed source, with what its identifiers lead to. */
export type OptionSource = {
  readonly file: string
  readonly text: string
  readonly comments: readonly Comment[]
  /** Initial values of constants of the file, by name. */
  readonly constants: ReadonlyMap<string, Expression>
  /** Files of imported names, from the root of the repository. */
  readonly imports: ReadonlyMap<string, string>
}

/** An expression, and the source that it stands in. */
export type Located<Node = Expression> = { readonly node: Node; readonly source: OptionSource }

const sources = new Map<string, OptionSource>()

/** Parses a file once. */
export function optionSource(file: string): OptionSource {
  const known = sources.get(file)
  if (known) return known
  const text = readText(file)
  const { program, comments } = parseSync(file, text)
  const source = { file, text, comments, constants: constantsOf(program), imports: importsOf(program, file) }
  sources.set(file, source)
  return source
}

function constantsOf({ body }: Program): ReadonlyMap<string, Expression> {
  const found = new Map<string, Expression>()
  for (const statement of body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declaration.declarations) if (id.type === 'Identifier' && init) found.set(id.name, init)
  }
  return found
}

function importsOf({ body }: Program, file: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration' || !statement.source.value.startsWith('.')) continue
    for (const { local } of statement.specifiers) found.set(local.name, join(dirname(file), statement.source.value))
  }
  return found
}

/** What a name stands for; null for parameters, functions and packages. */
export function constantOf(name: string, source: OptionSource): Located | null {
  const node = source.constants.get(name)
  if (node) return { node, source }
  const file = source.imports.get(name)
  return file === undefined ? null : constantOf(name, optionSource(file))
}

/** Docstring that ends right before this offset, as one line; empty without one. */
export function docstringBefore(offset: number, { comments, text }: OptionSource): string {
  const comment = comments.findLast(({ end }) => end <= offset)
  if (!comment?.value.startsWith('*') || text.slice(comment.end, offset).trim() !== '') return ''
  return comment.value
    .replaceAll(/^\s*\*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Value of a number, or of a product of numbers; null for anything else. */
export function numberOf({ node, source }: Located): number | null {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : null
  if (node.type === 'Identifier') {
    const constant = constantOf(node.name, source)
    return constant && numberOf(constant)
  }
  if (node.type !== 'BinaryExpression' || node.operator !== '*') return null
  const [left, right] = [numberOf({ node: node.left, source }), numberOf({ node: node.right, source })]
  return left === null || right === null ? null : left * right
}

/** A text, or the text that a name stands for; null for anything else. */
export function textOf({ node, source }: Located): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  const constant = node.type === 'Identifier' ? constantOf(node.name, source) : null
  return constant && textOf(constant)
}

/** The object that an expression is, or that its name stands for; null for anything else. */
export function objectOf({ node, source }: Located): Located<ObjectExpression> | null {
  if (node.type === 'ObjectExpression') return { node, source }
  if (node.type === 'TSAsExpression') return objectOf({ node: node.expression, source })
  if (node.type !== 'Identifier') return null
  const constant = constantOf(node.name, source)
  return constant && objectOf(constant)
}
