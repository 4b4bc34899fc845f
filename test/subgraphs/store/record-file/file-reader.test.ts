import { describe, expect, test } from 'vitest'
import { type FileObject, readObjects } from '../../../../subgraphs/store/record-file/file-reader.ts'

const PIECE_BYTES = 65_536

/** The objects of a file that arrives in pieces. */
async function read(file: string | Buffer, format: 'CSV' | 'JSON_LINES'): Promise<FileObject[]> {
  const bytes = Buffer.from(file as string)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
  }
  const found: FileObject[] = []
  for await (const object of readObjects(pieces(), { format, key: 'Handle', hasManyRows: true })) found.push(object)
  return found
}

describe('a file', () => {
  test.each(['CSV', 'JSON_LINES'] as const)(
    'of %s lets everything else have its turn, also within a piece of empty rows',
    async (format) => {
      let turns = 0
      let isDone = false
      const turn = () => {
        turns += 1
        if (!isDone) setImmediate(turn)
      }
      setImmediate(turn)
      await read(`Handle\n${'\n'.repeat(PIECE_BYTES - 7)}`, format)
      isDone = true
      expect(turns).toBeGreaterThan(20)
    },
  )

  test.each(['CSV', 'JSON_LINES'] as const)('of %s has at most a million rows, empty ones too', async (format) => {
    await expect(read(`Handle\n${'\n'.repeat(1_000_000)}`, format)).rejects.toThrow('at most 1,000,000 rows')
  })

  test('of CSV has at most five million characters in the rows of an object', async () => {
    const rows = Array.from({ length: 6 }, () => `a,${'x'.repeat(900_000)}`)
    await expect(read(`Handle,Title\n${rows.join('\n')}\n`, 'CSV')).rejects.toThrow('at most 5,000,000 characters in rows')
    const [one, ...others] = await read(`Handle,Title\n${rows.slice(1).join('\n')}\n`, 'CSV')
    expect(others).toEqual([])
    expect(one).toMatchObject({ format: 'CSV', row: 2, length: 4_500_005 })
  })

  test('keeps characters that are divided between its parts', async () => {
    // Four bytes each, behind one, two and three others: every part ends within one.
    const names = ['x', 'xy', 'xyz'].map((start) => `${start}${'🦜'.repeat(5_000)}`)
    const lines = names.map((name) => JSON.stringify({ name })).join('\n')
    const objects = await read(lines, 'JSON_LINES')
    expect(objects.map((object) => object.format === 'JSON_LINES' && object.value)).toEqual(names.map((name) => ({ name })))
    const csv = await read(`Handle,Title\n${names.map((name, index) => `${index},${name}`).join('\n')}`, 'CSV')
    expect(csv.map((object) => object.format === 'CSV' && object.rows[0]?.cells.get('Title'))).toEqual(names)
  })

  test('of JSON has lines of at most a million characters, wherever their parts end', async () => {
    const line = (length: number) => `"${'x'.repeat(length - 2)}"`
    expect(await read(`${line(1_000_000)}\n1`, 'JSON_LINES')).toHaveLength(2)
    await expect(read(`1\n${line(1_000_001)}\n1`, 'JSON_LINES')).rejects.toThrow('1,000,000 characters in row 2')
  })
})
