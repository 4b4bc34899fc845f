import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { getLibFiles, ts } from '@ts-morph/common'

const ROOT = join(import.meta.dirname, '../../..')

/** One place where an open text is a key of an object. */
export type TextKey = {
  readonly file: string
  readonly line: number
  /** As it is written: `TABLE[text]`. */
  readonly text: string
  /** The type of the object, as the checker writes it. */
  readonly type: string
}

/**
 * A program of the compiler over these files. TypeScript 7 has no API, so the one that an older
 * package brings is used, with its own libraries.
 */
function programOf(files: readonly string[], more: ReadonlyMap<string, string>): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const texts = new Map([...more, ...getLibFiles().map(({ fileName, text }) => [`/lib/${fileName}`, text] as const)])
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.getDefaultLibLocation = () => '/lib'
  host.getDefaultLibFileName = () => '/lib/lib.d.ts'
  host.fileExists = (file) => texts.has(file) || fileExists.call(host, file)
  host.readFile = (file) => texts.get(file) ?? readFile.call(host, file)
  host.getSourceFile = (file, version, ...rest) => {
    const text = texts.get(file)
    return text === undefined ? getSourceFile.call(host, file, version, ...rest) : ts.createSourceFile(file, text, version, true)
  }
  return ts.createProgram([...files, ...more.keys()], { ...options, noEmit: true }, host)
}

/**
 * Every element access and every `in` whose key is an open text (no union of literals, no number,
 * no symbol), except where `Object.hasOwn` of the same object and key stands in the same function,
 * and where the object is a `LookupTable`. `more` are texts of files that exist here only.
 */
export function unguardedTextKeys(pattern: string, more: ReadonlyMap<string, string> = new Map()): readonly TextKey[] {
  const files =
    pattern === '' ? [] : globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules'] }).map((file) => join(ROOT, file))
  const program = programOf(files, more)
  const checker = program.getTypeChecker()
  const wanted = new Set([...files, ...more.keys()])
  const found: TextKey[] = []

  const isOpenText = (type: ts.Type): boolean => {
    if (type.isUnion()) return type.types.some(isOpenText)
    if (type.flags & ts.TypeFlags.TypeParameter) return isOpenText(checker.getBaseConstraintOfType(type) ?? checker.getAnyType())
    return (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.Any)) !== 0
  }
  /** What a cast claims of a key is not believed. */
  const uncast = (key: ts.Expression): ts.Expression =>
    ts.isAsExpression(key) || ts.isParenthesizedExpression(key) || ts.isNonNullExpression(key) ? uncast(key.expression) : key
  const isTable = (type: ts.Type): boolean =>
    checker.getPropertiesOfType(checker.getNonNullableType(type)).some(({ name }) => name.startsWith('__@HAS_NO_PROTOTYPE'))

  for (const source of program.getSourceFiles()) {
    if (!wanted.has(source.fileName)) continue
    const note = (node: ts.Node, object: ts.Expression, key: ts.Expression): void => {
      const type = checker.getTypeAtLocation(object)
      if (!isOpenText(checker.getTypeAtLocation(uncast(key))) || isTable(type)) return
      if (functionAround(node).includes(`Object.hasOwn(${object.getText()}, ${key.getText()})`)) return
      found.push({
        file: relative(ROOT, source.fileName),
        line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
        text: node.getText(),
        type: checker.typeToString(type),
      })
    }
    const visit = (node: ts.Node): void => {
      if (ts.isElementAccessExpression(node)) note(node, node.expression, node.argumentExpression)
      if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) note(node, node.right, node.left)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

/** The text of the innermost function around a node; of the file where there is none. */
function functionAround(node: ts.Node): string {
  let at = node
  while (at.parent && !ts.isFunctionLike(at)) at = at.parent
  return at.getText()
}
