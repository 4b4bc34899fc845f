import type { z } from 'zod'

/** One sentence per invalid argument, all at once, so that the model can correct its next call. */
export function faultsOf(error: z.ZodError, input: unknown, argumentNames: readonly string[]): readonly string[] {
  return error.issues.map((issue) => {
    const path = issue.path.map(String).join('.')
    if (issue.code === 'unrecognized_keys') {
      const names = issue.keys.map((key) => `\`${shortened(key)}\``).join(', ')
      const where =
        path === ''
          ? `the arguments are ${argumentNames.map((name) => `\`${name}\``).join(', ') || 'none'}`
          : `\`${path}\` has no such field`
      return `Expected no ${names}: ${where}.`
    }
    const got = issue.path.reduce<unknown>((value, key) => (isObject(value) ? Reflect.get(value, key) : undefined), input)
    if (path === '') return `Expected the arguments to be an object, got ${excerpt(got)}.`
    return `Expected \`${path}\` to be ${issue.message}, got ${got === undefined ? 'nothing' : excerpt(got)}.`
  })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Short form of a value for error messages. */
function excerpt(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isObject(value)) return 'an object'
  return typeof value === 'string' ? JSON.stringify(shortened(value)) : String(value)
}

const shortened = (text: string): string => (text.length <= 60 ? text.toWellFormed() : `${text.slice(0, 60).toWellFormed()}…`)
