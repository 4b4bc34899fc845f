import { createHash } from 'node:crypto'
import { LURES } from '../../subgraphs/trust/pipeline/lists/words.ts'

/** A byte that a text always has: the halves of sets, of which one is never tuned on. */
export const byteOf = (text: string): number => createHash('sha256').update(text).digest()[0] ?? 0

/** Imitations of a name: one slip of each kind, lures, and the whole name inside another one. */
export function imitationsOf(brand: string): readonly string[] {
  const [label = '', suffix = ''] = brand.split('.')
  const at = 1 + (byteOf(`at ${brand}`) % (label.length - 2))
  const letter = 'abcdefghijklmnopqrstuvwxyz'[byteOf(`letter ${brand}`) % 26] ?? 'a'
  const lure = LURES[byteOf(`lure ${brand}`) % LURES.length] ?? 'login'
  const [before, here, after] = [label.slice(0, at), label[at] ?? '', label.slice(at + 1)]
  return [
    `${before}${after}.${suffix}`,
    `${before}${here}${here}${after}.${suffix}`,
    `${before}${after[0] ?? ''}${here}${after.slice(1)}.${suffix}`,
    `${before}${letter}${after}.${suffix}`,
    `${before}${letter}${here}${after}.${suffix}`,
    `${before}-${here}${after}.${suffix}`,
    `${label}-${lure}.com`,
    `${lure}${label}.net`,
    `${label}-login-verify.top`,
    `${brand}-login.top`,
    `${brand}.account-check.xyz`,
  ].filter((name) => name !== brand)
}
