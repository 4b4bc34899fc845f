import { GLYPHS, HOST_LABEL, NEIGHBOURS, VOWELS } from '../../../../../subgraphs/trust/pipeline/typosquat.ts'

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Every label that one slip makes of `label`, which is not among them. */
export function typosquatsOf(label: string, suffixes: readonly string[]): Set<string> {
  const made = new Set<string>()
  const add = (written: string) => {
    if (written !== label && HOST_LABEL.test(written)) made.add(written)
  }
  const at = (index: number, length: number, text: string) => label.slice(0, index) + text + label.slice(index + length)

  for (let index = 0; index < label.length; index++) {
    const letter = label[index] ?? ''
    add(at(index, 1, ''))
    add(at(index, 0, letter))
    if (index + 1 < label.length) add(at(index, 2, (label[index + 1] ?? '') + letter))
    for (const glyph of GLYPHS[letter] ?? []) add(at(index, 1, glyph))
    if (VOWELS.includes(letter)) for (const vowel of VOWELS) add(at(index, 1, vowel))
    for (const key of NEIGHBOURS.get(letter) ?? '') {
      add(at(index, 1, key))
      add(at(index, 0, key))
      add(at(index + 1, 0, key))
    }
    for (let bit = 0; bit < 8; bit++) add(at(index, 1, String.fromCharCode((label.charCodeAt(index) ^ (1 << bit)) & 0x7f)))
    if (index > 0) add(at(index, 0, '-'))
    if (index > 0) add(at(index, 0, 's'))
  }
  for (const letter of LETTERS_AND_DIGITS) add(label + letter)
  for (const glued of ['www', 'www-', 'http', 'm-']) add(glued + label)
  for (const suffix of suffixes) {
    add(label + suffix.replaceAll('.', ''))
    add(label + (suffix.split('.')[0] ?? ''))
    add(`${label}-${suffix.replaceAll('.', '-')}`)
  }
  if (label.includes('-')) add(label.replaceAll('-', ''))
  return made
}
