import { statedLicense } from '../item/license.ts'

/** The licence of a statement, by what its source says; nothing where that names none that is known. */
export function licensed(value: unknown): { readonly license?: string } {
  const license = statedLicense(value)
  return license === null ? {} : { license }
}
