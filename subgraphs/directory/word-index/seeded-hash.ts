import { randomInt } from 'node:crypto'

/** Sources choose words and keys: a random seed keeps them from choosing the slots of a table. */
export const randomSeed = (): number => randomInt(2 ** 31)

/** A hash, or a seed, with one more unit of a text. */
export const hashed = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/** 32 bits of a whole text. */
export function hashOfText(seed: number, text: string): number {
  let hash = seed
  for (let at = 0; at < text.length; at += 1) hash = hashed(hash, text.charCodeAt(at))
  return hash
}
