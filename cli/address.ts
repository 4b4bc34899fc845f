import { InvalidArgumentError, Option } from 'commander'

const DEFAULT_URL = 'http://localhost:4000'

/** Where the Atrium is that a command asks, under the name that the command has for it. */
export const addressOption = (flags: string): Option =>
  new Option(flags, 'where Atrium runs').env('ATRIUM_URL').default(DEFAULT_URL).argParser(addressIn)

function addressIn(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new InvalidArgumentError(`Expected the address of an Atrium, such as ${DEFAULT_URL}.`)
}
