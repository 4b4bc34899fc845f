/**
 * A start or a command failed for a reason that the operator can fix. `message` is whole sentences:
 * what is wrong and what to do. Programs print it without a stack and exit with a status other than
 * 0.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
