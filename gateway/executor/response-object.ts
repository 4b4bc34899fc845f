/** Makes objects of an answer that have the same keys. */
export type ResponseObjectClass = new () => Record<string, unknown>

/**
 * About as many keys have room in objects of a function that assigns none, and as many again beside
 * them; V8 makes hash tables of what has more.
 */
const MAX_INLINE_KEYS = 12

/**
 * A class for the objects that one selection makes, empty at first, with so many keys in the end.
 * They have no inherited properties, so that every response key is safe, `__proto__` too. V8 keeps
 * objects with an empty prototype compact, and those without any as hash tables: half as fast to
 * fill, and to write as JSON. One class per selection: V8 learns from the first few objects of a
 * class how much room one needs.
 */
export function responseObjectClass(keys: number): ResponseObjectClass {
  // TypeScript has no constructor type for functions that assign `this`.
  const Answer = keys > MAX_INLINE_KEYS ? roomy() : (function Answer() {} as unknown as ResponseObjectClass)
  Answer.prototype = NOTHING
  return Answer
}

const NOTHING: object = Object.freeze(Object.create(null))

/**
 * V8 makes room for as many keys as it reads assignments in a function, whether they ever happen,
 * and takes back what the first objects do not need.
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
