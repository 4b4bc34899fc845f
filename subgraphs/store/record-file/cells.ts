import { problem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, textOf } from '../amount.ts'
import type { CsvRow } from './file-reader.ts'
import type { RowError } from './record.ts'

export type CellReader<Column extends string> = ReturnType<typeof cellReader<Column>>

/** Reads cells of a row: undefined where the file has no such column, null where the cell is empty. */
export function cellReader<Column extends string>({ row, cells }: CsvRow) {
  const errors: RowError[] = []
  const expected = (column: Column, expectation: string, got: string) => {
    errors.push({ row, column, message: problem(column, expectation, got).message })
    return undefined
  }
  const textIn = (column: Column) => {
    const cell = cells.get(column)
    return cell === undefined ? undefined : cell.trim() === '' ? null : cell.trim()
  }
  return {
    errors,
    text: textIn,
    flag(column: Column, [yes, no]: readonly [yes: string, no: string] = ['true', 'false']): boolean | undefined {
      const cell = textIn(column)?.toLowerCase()
      if (cell == null) return undefined
      return cell === yes || cell === no ? cell === yes : expected(column, `${yes.toUpperCase()} or ${no.toUpperCase()}`, cell)
    },
    word<const Word extends string>(column: Column, words: readonly Word[]): Word | undefined {
      const cell = textIn(column)?.toLowerCase()
      if (cell == null) return undefined
      return words.find((word) => word === cell) ?? expected(column, `one of ${words.join(', ')}`, cell)
    },
    whole(column: Column): number | null | undefined {
      const cell = textIn(column)
      if (cell == null) return cell
      if (/^-?\d{1,10}(\.0+)?$/.test(cell) && Math.abs(Number(cell)) <= 2_147_483_647) return Number(cell)
      return expected(column, 'a whole number of at most 2147483647', cell)
    },
    amount(column: Column, convert: (amount: Amount) => Amount = (amount) => amount): string | null | undefined {
      const cell = textIn(column)
      if (cell == null) return cell
      if (/^\d{1,10}(\.\d{1,4})?$/.test(cell)) return textOf(convert(amountOf(cell)))
      return expected(column, 'a decimal number of 0 or more, with a point and at most 4 places', cell)
    },
  }
}

type Defined<Given extends object> = { [Key in keyof Given]: Exclude<Given[Key], undefined> }

/** Without what is undefined: it stays as it is. */
export const defined = <Given extends object>(given: Given): Partial<Defined<Given>> =>
  // Keys with undefined are left out, which types of optional fields do not have.
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<Defined<Given>>
