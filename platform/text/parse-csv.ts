/** Why a text is no CSV; `line` counts from 1. */
export type CsvFault = { readonly line: number; readonly message: string }

/**
 * Records of CSV by RFC 4180, also with LF, and without those that are blank. `maxRecords`: more
 * are a fault.
 */
export function parseCsv(
  text: string,
  maxRecords: number,
): { readonly records: readonly (readonly string[])[] } | { readonly fault: CsvFault } {
  const records: string[][] = []
  let record: string[] = []
  let line = 1
  // A field, quoted or not, and what ends it.
  const field = /"((?:[^"]|"")*)"(,|\r?\n|$)|([^",\r\n]*)(,|\r?\n|$)/y
  field.lastIndex = text.startsWith('\ufeff') ? 1 : 0
  while (field.lastIndex < text.length) {
    const found = field.exec(text)
    if (!found) return { fault: { line, message: 'a field that is quoted as a whole, or has no quotes and no single CR' } }
    const [whole, quoted, quotedEnd, plain = '', plainEnd] = found
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += whole.split('\n').length - 1
    if ((quotedEnd ?? plainEnd) === ',') {
      // A comma at the end of the text has an empty field behind it.
      if (field.lastIndex === text.length) record.push('')
      else continue
    }
    if (record.some((each) => each.trim() !== '')) records.push(record)
    if (records.length > maxRecords) return { fault: { line, message: `at most ${maxRecords.toLocaleString('en')} records` } }
    record = []
  }
  if (record.some((each) => each.trim() !== '')) records.push(record)
  return { records }
}
