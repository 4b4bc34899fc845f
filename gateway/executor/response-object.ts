/** Class of response objects with the same keys. */
export type ResponseObjectClass = new () => Record<string, unknown>

/**
 * V8 reserves about this many in-object slots for a constructor without assignments, and as many
 * out of object; larger objects become hash tables.
 */
const MAX_INLINE_KEYS = 12

/**
 * Creates a class for the objects of one selection, which get `keys` properties. Its prototype is
 * empty, so that every response key is safe, including `__proto__`. V8 keeps objects with an empty
 * prototype in fast mode; those with a null prototype are hash tables, which are half as fast to
 * fill and to serialize. One class per selection, because V8 learns object sizes per constructor.
 */
export function responseObjectClass(keys: number): ResponseObjectClass {
  // TypeScript has no constructor type for functions that assign `this`.
  const Answer = keys > MAX_INLINE_KEYS ? roomy() : (function Answer() {} as unknown as ResponseObjectClass)
  Answer.prototype = NOTHING
  return Answer
}

const NOTHING: object = Object.freeze(Object.create(null))

/**
 * V8 reserves a slot for each assignment in the source of a constructor, executed or not, and later
 * shrinks objects to the size that the first ones need.
 */
function roomy(): ResponseObjectClass {
  return function Answer(this: Record<string, unknown>) {
    if (IS_ASSIGNED) {
      this.a = this.b = this.c = this.d = this.e = this.f = this.g = this.h = this.i = this.j = null
      this.k = this.l = this.m = this.n = this.o = this.p = this.q = this.r = this.s = this.t = null
      this.A = this.B = this.C = this.D = this.E = this.F = this.G = this.H = this.I = this.J = null
      this.K = this.L = this.M = this.N = this.O = this.P = this.Q = this.R = this.S = this.T = null
    }
    // TypeScript has no constructor type for functions that assign `this`.
  } as unknown as ResponseObjectClass
}

const IS_ASSIGNED: boolean = false
