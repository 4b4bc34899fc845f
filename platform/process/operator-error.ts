/**
 * A start or a command that cannot go on for a reason its operator can act on.
 * `message` is whole sentences saying what is wrong and what to do; programs print it without a stack and exit with a status other than 0.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}
