import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { SECRETS_KEY_BYTES } from '../../platform/secrets/cipher.ts'

/** A secret that is rotated in a file of `NAME=value` lines. */
export type EnvironmentSecret = {
  /** Name on the command line. */
  readonly name: string
  readonly variable: string
  /**
   * Where the second value of an overlap is stored: after a comma in the same variable, or in
   * another variable; null: this secret has no overlap.
   */
  readonly second: 'comma' | { readonly variable: string } | null
  readonly generate: () => string
}

const hexadecimal = (): string => randomBytes(32).toString('hex')

export const ENVIRONMENT_SECRETS: readonly EnvironmentSecret[] = [
  {
    name: 'secrets-key',
    variable: 'SECRETS_KEY',
    second: 'comma',
    generate: () => randomBytes(SECRETS_KEY_BYTES).toString('base64'),
  },
  { name: 'console', variable: 'CONSOLE_SECRET', second: { variable: 'CONSOLE_SECRET_PREVIOUS' }, generate: hexadecimal },
  { name: 'link', variable: 'LINK_SECRET', second: 'comma', generate: hexadecimal },
  { name: 'operations', variable: 'OPERATIONS_TOKEN', second: null, generate: hexadecimal },
]

/** Steps of a rotation: add the new value as second, make it the first, remove the previous one. */
export type Step = 'add' | 'promote' | 'finish'

/**
 * Applies one step to the file atomically. Throws an `OperatorError` when the file is not in the
 * state that the step starts from.
 */
export function rotateInFile(file: string, secret: EnvironmentSecret, step: Step): void {
  const lines = linesOf(file)
  const values = valuesIn(lines, secret)
  const next = afterStep(secret, values, step)
  writeLines(file, withValues(lines, secret, next))
}

/**
 * The value of a variable in the file; null when the file does not set it. Throws an
 * `OperatorError` for an unreadable file.
 */
export const readVariable = (file: string, variable: string): string | null => valueIn(linesOf(file), variable)

/** Sets variables in the file atomically, and keeps their quotes. */
export function writeVariables(file: string, values: Readonly<Record<string, string>>): void {
  const lines = linesOf(file)
  const written = Object.entries(values).reduce<readonly string[]>((result, [variable, value]) => {
    const before = lines.flatMap((line) => lineOf(variable).exec(line)?.[2] ?? []).at(-1)
    const quote = /^\s*(["'])/.exec(before ?? '')?.[1] ?? ''
    return withValue(result, variable, `${quote}${value}${quote}`)
  }, lines)
  writeLines(file, written)
}

function afterStep(
  { name, variable, second, generate }: EnvironmentSecret,
  values: readonly string[],
  step: Step,
): readonly string[] {
  const [first, other, ...more] = values
  if (first === undefined)
    throw new OperatorError(
      `Expected the file to set ${variable}: create the first one with \`atrium secrets generate ${name}\`.`,
    )
  if (second === null) return [generate()]
  if (step === 'add') {
    if (other !== undefined)
      throw new OperatorError(
        `Expected one value of ${variable}, but there are two: a rotation is in progress; continue with --promote or --finish.`,
      )
    return [first, generate()]
  }
  if (step === 'finish') return [first]
  if (other === undefined || more.length > 0)
    throw new OperatorError(`Expected two values of ${variable}: start the rotation without --promote.`)
  return [other, first]
}

function valuesIn(lines: readonly string[], { variable, second }: EnvironmentSecret): readonly string[] {
  const first = valueIn(lines, variable)
  if (second === 'comma') return first?.split(',').map((part) => part.trim()) ?? []
  const other = second && valueIn(lines, second.variable)
  return [first, other].filter((value) => value !== null)
}

function withValues(
  lines: readonly string[],
  { variable, second }: EnvironmentSecret,
  values: readonly string[],
): readonly string[] {
  if (second === null || second === 'comma') return withValue(lines, variable, values.join(','))
  const [first = '', other = null] = values
  return withValue(withValue(lines, variable, first), second.variable, other)
}

/** `NAME=value` or `export NAME=value`, quoted or not, as Docker, systemd and shells accept. */
const lineOf = (variable: string): RegExp => new RegExp(`^(\\s*(?:export\\s+)?${variable}=)(.*)$`)

function valueIn(lines: readonly string[], variable: string): string | null {
  const found = lines.flatMap((line) => lineOf(variable).exec(line)?.[2] ?? []).at(-1)
  const value = found?.trim().replace(/^(["'])(.*)\1$/, '$2')
  return value === undefined || value === '' ? null : value
}

function withValue(lines: readonly string[], variable: string, value: string | null): readonly string[] {
  const others = lines.filter((line) => !lineOf(variable).test(line))
  if (value === null) return others
  const index = lines.findIndex((line) => lineOf(variable).test(line))
  const line = `${lineOf(variable).exec(lines[index] ?? '')?.[1] ?? `${variable}=`}${value}`
  return index === -1 ? [...others, line] : others.toSpliced(index, 0, line)
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').replace(/\n$/, '').split('\n')
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/**
 * Replaces the file by a rename, so that readers see the old or the new file whole. Mode 0600 from
 * the start.
 */
function writeLines(file: string, lines: readonly string[]): void {
  const next = `${file}.${randomBytes(4).toString('hex')}.new`
  try {
    writeFileSync(next, `${lines.join('\n')}\n`, { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(next, statSync(file).mode & 0o777)
    renameSync(next, file)
  } catch (error) {
    throw new OperatorError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
