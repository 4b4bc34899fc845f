import { hashPassword, passwordProblem } from '../../toolkit/password.ts'
import { emailProblem, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import type { UserRepository } from './repository.ts'
import type { Role, User } from './user.ts'

/** Input of a sign-up, unchecked. */
export type SignUp = {
  readonly email: string
  readonly name: string
  readonly role?: Role | null | undefined
  readonly password?: string | null | undefined
  readonly phoneNumber?: string | null | undefined
}

const MAX_NAME_CHARACTERS = 100

/** The new user, or everything that is wrong with the input, in the order of its fields. */
export async function signUp(
  { email, name, role, password, phoneNumber }: SignUp,
  { users, mayGiveRoles }: { readonly users: UserRepository; readonly mayGiveRoles: boolean },
): Promise<{ readonly user: User } | { readonly problems: readonly Problem[] }> {
  const wrongEmail = emailProblem('email', email)
  const problems = problemsIn([
    wrongEmail ?? ((await users.findByEmail(email)) ? emailTaken(email) : null),
    textProblem('name', name, MAX_NAME_CHARACTERS),
    role != null && role !== 'USER' && !mayGiveRoles
      ? { field: 'role', message: `Expected "role" to be USER: only administrators grant ${role}.` }
      : null,
    password == null ? null : passwordProblem('password', password),
    phoneNumber == null ? null : phoneProblem(phoneNumber),
  ])
  if (problems.length > 0) return { problems }
  const user = await users.create({
    email,
    name: name.trim(),
    role: role ?? 'USER',
    phoneNumber: phoneNumber ?? null,
    passwordHash: password == null ? null : await hashPassword(password),
  })
  return user ? { user } : { problems: [emailTaken(email)] }
}

/** Problems of a change of a user; null in a field that cannot be null is wrong as well. */
export const changeProblems = ({
  email,
  name,
  role,
  phoneNumber,
}: {
  readonly email?: string | null | undefined
  readonly name?: string | null | undefined
  readonly role?: Role | null | undefined
  readonly phoneNumber?: string | null | undefined
}): readonly Problem[] =>
  problemsIn([
    email === null ? problem('email', 'an address, or absent', email) : email === undefined ? null : emailProblem('email', email),
    name === null
      ? problem('name', 'a name, or absent', name)
      : name === undefined
        ? null
        : textProblem('name', name, MAX_NAME_CHARACTERS),
    role === null ? problem('role', 'a role, or absent', role) : null,
    phoneNumber == null ? null : phoneProblem(phoneNumber),
  ])

/** The address is in use: sign-up cannot hide that without sending mail. */
export const emailTaken = (email: string): Problem => problem('email', 'an address that no user has yet', email)

/** A change of an address without the password that it needs. */
export const passwordNeeded: Problem = {
  field: 'currentPassword',
  message: 'Expected "currentPassword" to be your present password: a change of an address needs it.',
}

/** A change of an address with another password than the caller's. */
export const passwordWrong: Problem = {
  field: 'currentPassword',
  message: 'Expected "currentPassword" to be your present password, got another one.',
}

/** A change of an address after too many wrong passwords of the caller. */
export const passwordLocked = (unlockAt: Date): Problem => ({
  field: 'currentPassword',
  message: `Too many wrong passwords for this address: try again after ${unlockAt.toISOString()}.`,
})

/** A change that would leave no administrator; `field` is the one that would have to stay. */
export const lastAdministrator = (field: string): Problem => ({
  field,
  message: `Expected "${field}" to leave an administrator: this is the last one. Make another user an administrator first.`,
})

const phoneProblem = (phoneNumber: string): Problem | null =>
  /^\+[1-9]\d{6,14}$/.test(phoneNumber) ? null : problem('phoneNumber', 'E.164: "+" and 7 to 15 digits', phoneNumber)
