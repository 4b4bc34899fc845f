import { InvalidArgumentError, Option } from 'commander'

const DEFAULT_URL = 'http://localhost:4000'

/** Where the Atrium is that a command asks, under the name that the command has for it. */
export const addressOption = (flags: string): Option =>
  new Option(flags, 'where Atrium runs').env('ATRIUM_URL').default(DEFAULT_URL).argParser(parseAddress)

function parseAddress(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new InvalidArgumentError(`Expected the address of an Atrium, such as ${DEFAULT_URL}.`)
}

/** Reads a whole number within these bounds. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }

/** Reads a text of at most this many characters that says something. */
export const textUpTo =
  (most: number) =>
  (text: string): string => {
    const said = text.trim()
    if (said !== '' && text.length <= most) return said
    throw new InvalidArgumentError(`Expected 1 to ${most} characters.`)
  }
