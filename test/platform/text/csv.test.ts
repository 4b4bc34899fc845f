import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvField, withoutFormulaGuard } from '../../../platform/text/csv.ts'

test.each(['=SUM(1)', '+1', '-1', '@name', '\tx', '＝SUM(1)', '＋1', '－1', '＠name', "'=1"])(
  'a spreadsheet calculates nothing from %j',
  (value) => {
    expect(csvField(value)).toMatch(/^"?'/)
  },
)

test('a field that is read is what was written, with a guard or without', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", '=', '＝', '"', ',', 'a', ' ') }), (value) => {
      const field = csvField(value)
      const text = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field
      expect(withoutFormulaGuard(text)).toBe(value)
    }),
  )
})
