import { InvalidArgumentError, Option } from 'commander'

const DEFAULT_URL = 'http://localhost:4000'

/** Option for the base URL of a running Atrium, under a command's own flag names. */
export const addressOption = (flags: string): Option =>
  new Option(flags, 'URL of Atrium').env('ATRIUM_URL').default(DEFAULT_URL).argParser(parseAddress)

function parseAddress(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new InvalidArgumentError(`Expected the address of an Atrium, such as ${DEFAULT_URL}.`)
}

/** Argument parser for an integer from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }

/** Argument parser for a text of 1 to `max` characters that is not blank. */
export const textUpTo =
  (max: number) =>
  (text: string): string => {
    const trimmed = text.trim()
    if (trimmed !== '' && text.length <= max) return trimmed
    throw new InvalidArgumentError(`Expected 1 to ${max} characters.`)
  }
