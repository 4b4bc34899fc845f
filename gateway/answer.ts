/** Makes objects of an answer that have the same keys. */
export type AnswerClass = new () => Record<string, unknown>

/**
 * A class for the objects that one selection makes, empty at first. They have no inherited properties, so that every response key is safe, `__proto__` too. V8 keeps
 * objects with an empty prototype compact, and those without any as hash tables: half as fast to fill, and to write as JSON. One class per selection: V8 learns
 * from the first few objects of a class how much room one needs.
 */
export function answerClass(): AnswerClass {
  const Answer = function Answer() {} as unknown as AnswerClass
  Answer.prototype = NOTHING
  return Answer
}

const NOTHING: object = Object.freeze(Object.create(null))
