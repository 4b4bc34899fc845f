import { isMailable } from '../../../platform/mail/message.ts'
import { hashPassword, MAX_PASSWORD_CHARACTERS, passwordProblem, verifyPassword } from '../../toolkit/password.ts'
import { emailProblem, notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { emailKey } from '../customer/customer.ts'
import type { MailJobs } from '../mail/jobs.ts'
import type { MailLimits } from '../mail/limits.ts'
import type { AddressInput } from '../order/customer/address.ts'
import { newSecretToken, secretTokenHash } from '../secret-token.ts'
import { storeRepository } from '../store/repository.ts'
import { conflictError, type UnitOfWork } from '../write.ts'
import {
  type ConfirmedAccount,
  type CustomerAccount,
  FRESH_SESSION_MS,
  isConfirmed,
  LINK_PAUSE_MS,
  MAX_EXPORTED_ORDERS,
  savedAddressProblems,
} from './customer-account.ts'
import { type CustomerAccountRepository, customerAccountRepository } from './repository.ts'

export const NO_MAIL = conflictError('This installation sends no e-mails, so its shops have no customer accounts.')

/** What is wrong with an address that a link is to be sent to. */
export function linkProblems(given: string) {
  const email = given.trim()
  const invalid =
    emailProblem('email', email) ??
    (isMailable(email) ? null : problem('email', 'an address of the form name@host', email)) ??
    (isPlain(email) ? null : problem('email', 'an address without characters that stand for others', email))
  return invalid && validationError([invalid])
}

/**
 * Whether no character stands for others, as K (U+212A, Kelvin) does for k: the message would go to
 * one mailbox, and the account would be that of another.
 */
const isPlain = (email: string): boolean =>
  email.normalize('NFKC') === email && ![...email].some((each) => each > '\x7f' && /[\0-\x7f]/.test(each.toLowerCase()))

/**
 * Requests a link. The same happens for an address with an account and for one without: a row, and
 * an e-mail that is made later. The answer is also the same where an address has got too many.
 */
export async function requestCustomerLink(
  unit: UnitOfWork,
  { mail, mailLimits }: { readonly mail: Pick<MailJobs, 'add'>; readonly mailLimits: MailLimits },
  { email: given, language }: { readonly email: string; readonly language: string | null },
) {
  const { query, storeId, now } = unit
  const languages = language === null ? [] : (await storeRepository(query).languagesOf([storeId])).map(({ code }) => code)
  if (language !== null && !languages.includes(language))
    return validationError([problem('language', `a language of the shop (${languages.join(', ')})`, language)])
  const accounts = customerAccountRepository(query)
  const email = given.trim()
  const account = await accounts.lockByEmail(storeId, { email, emailKey: emailKey(email) }, now)
  if (account.isNew || now.getTime() - account.linkRequestedAt.getTime() >= LINK_PAUSE_MS) {
    await accounts.setLinkRequested(storeId, account.id, language, now)
    if (await mailLimits.mayLink(storeId, email, isConfirmed(account))) {
      // Nobody has read mail at the former spelling yet, which may be another mailbox.
      if (!isConfirmed(account) && account.email !== email) await accounts.respell(storeId, account.id, email, now)
      await mail.add(unit, { kind: 'customer-link', subjectId: account.id })
    }
  }
  return { __typename: 'RequestCustomerLinkSuccess' as const, email }
}

const EXPIRED = {
  __typename: 'CustomerLinkExpired' as const,
  message: 'This link was used already, or is older than 30 minutes: request another one.',
}

/** A change that confirms an address and opens a session. `sent` gets its token, which is not stored. */
export async function openCustomerLink(
  unit: UnitOfWork,
  {
    linkToken,
    passwordHash,
    mail,
  }: { readonly linkToken: string; readonly passwordHash: string | null; readonly mail: Pick<MailJobs, 'add'> | null },
  sent: (token: string) => void,
) {
  const { query, storeId, now } = unit
  const accounts = customerAccountRepository(query)
  const hash = secretTokenHash(linkToken)
  const found = hash === null ? null : await accounts.byLink(storeId, hash, now)
  // The account before its links, as everybody locks them.
  const before = found && (await accounts.lock(storeId, found.id))
  const taken = before && hash !== null ? await accounts.takeLink(storeId, hash, now) : null
  if (taken === null) return EXPIRED
  const { accountId, locale } = taken
  await accounts.confirm(storeId, accountId, locale, now)
  if (passwordHash !== null) {
    await accounts.setPassword(storeId, accountId, passwordHash, now)
    // Whoever knew the former one is signed out.
    await accounts.endSessions(storeId, accountId, null)
    if (isConfirmed(before)) await mail?.add(unit, { kind: 'customer-password', subjectId: accountId })
  }
  await openSession(accounts, storeId, accountId, now, sent)
  return { __typename: 'OpenCustomerLinkSuccess' as const, accountId }
}

/** The hash of a password that a valid link is opened with; null: none is given. */
export async function passwordOfLink(
  accounts: CustomerAccountRepository,
  {
    storeId,
    token,
    password,
    now,
  }: { readonly storeId: number; readonly token: string; readonly password: string | null; readonly now: Date },
) {
  if (password === null) return { passwordHash: null }
  const invalid = passwordProblem('password', password)
  if (invalid) return { failure: validationError([invalid]) }
  const hash = secretTokenHash(token)
  // Nobody hashes passwords here without a link.
  if (hash === null || (await accounts.byLink(storeId, hash, now)) === null) return { failure: EXPIRED }
  return { passwordHash: await hashPassword(password) }
}

export const CREDENTIALS_WRONG = {
  __typename: 'CustomerCredentialsWrong' as const,
  message: 'The address or the password is wrong, or too many were tried: wait 15 minutes, or sign in by e-mail.',
}

/** The failure of a session that does not prove to be the owner's. */
export const notOwner = ({ passwordHash }: ConfirmedAccount) =>
  passwordHash === null
    ? { ...CREDENTIALS_WRONG, message: 'The account has no password: sign in by a link again, and do it within 10 minutes.' }
    : CREDENTIALS_WRONG

/**
 * The account with this address and password; null: there is none, or too many were tried. Takes as
 * long for an address without an account.
 */
export async function accountWithPassword(
  accounts: CustomerAccountRepository,
  storeId: number,
  { email, password }: { readonly email: string; readonly password: string },
  now: Date,
): Promise<ConfirmedAccount | null> {
  // Before the database is read: the time says nothing about the address.
  if (password.length > MAX_PASSWORD_CHARACTERS) return null
  const key = emailKey(email.trim())
  // Nothing else is stored, and PostgreSQL cannot read it.
  const found = emailProblem('email', key) === null ? await accounts.byEmail(storeId, key) : null
  return isRightPassword(accounts, isConfirmed(found) ? found : null, password, now)
}

async function isRightPassword(
  accounts: CustomerAccountRepository,
  account: ConfirmedAccount | null,
  password: string,
  now: Date,
): Promise<ConfirmedAccount | null> {
  const mayTry = account !== null && (await accounts.takeAttempt(account.storeId, account.id, now))
  const isRight = await verifyPassword(password, mayTry ? account.passwordHash : null)
  if (!isRight || account === null) return null
  await accounts.resetAttempts(account.storeId, account.id)
  return account
}

/**
 * Whether the owner of a session proves to be the owner of the account: by its password, if it has
 * one; else by a session that a link has just opened.
 */
export async function isOwner(
  accounts: CustomerAccountRepository,
  account: ConfirmedAccount,
  { token, password }: { readonly token: string; readonly password: string | null | undefined },
  now: Date,
): Promise<boolean> {
  const { storeId, id, passwordHash } = account
  if (passwordHash === null) {
    const hash = secretTokenHash(token)
    return hash !== null && (await accounts.isSessionSince(storeId, hash, new Date(now.getTime() - FRESH_SESSION_MS)))
  }
  if (password == null || password.length > MAX_PASSWORD_CHARACTERS) return false
  // Who is signed in knows that there is an account: a refusal needs not take as long as a hash.
  if (!(await accounts.takeAttempt(storeId, id, now)) || !(await verifyPassword(password, passwordHash))) return false
  await accounts.resetAttempts(storeId, id)
  return true
}

/** Opens a session by the password that was verified, unless it was changed in the meantime. */
export async function signInCustomer(
  { query, storeId, now }: UnitOfWork,
  account: ConfirmedAccount,
  sent: (token: string) => void,
) {
  const accounts = customerAccountRepository(query)
  if (!(await isUnchanged(accounts, account))) return CREDENTIALS_WRONG
  await openSession(accounts, storeId, account.id, now, sent)
  return { __typename: 'SignInCustomerSuccess' as const, accountId: account.id }
}

/** Whether an account still has the password with which it was verified; locks it. */
async function isUnchanged(
  accounts: CustomerAccountRepository,
  { storeId, id, passwordHash }: ConfirmedAccount,
): Promise<boolean> {
  const current = await accounts.lock(storeId, id)
  return current !== null && current.passwordHash === passwordHash
}

async function openSession(
  accounts: CustomerAccountRepository,
  storeId: number,
  accountId: number,
  now: Date,
  sent: (token: string) => void,
): Promise<void> {
  const token = newSecretToken()
  await accounts.openSession(storeId, accountId, secretTokenHash(token) ?? Buffer.alloc(0), now)
  sent(token)
}

/** The account of an open session; null when there is none. */
export async function accountOfSession(
  accounts: CustomerAccountRepository,
  storeId: number,
  token: string,
  now: Date,
): Promise<ConfirmedAccount | null> {
  const hash = secretTokenHash(token)
  const account = hash === null ? null : await accounts.bySession(storeId, hash, now)
  return isConfirmed(account) ? account : null
}

export const noSession = notFoundError('session', '')

export async function signOutCustomer(
  { query, storeId }: UnitOfWork,
  account: CustomerAccount,
  token: string,
  everywhere: boolean,
) {
  const accounts = customerAccountRepository(query)
  const sessionsEnded = everywhere
    ? await accounts.endSessions(storeId, account.id, null)
    : await accounts.endSession(storeId, secretTokenHash(token) ?? Buffer.alloc(0))
  return { __typename: 'SignOutCustomerSuccess' as const, sessionsEnded }
}

/**
 * Changes a password, signs out everybody else, and tells the owner by e-mail; unless the password
 * that was verified was changed in the meantime.
 */
export async function changeCustomerPassword(
  unit: UnitOfWork,
  account: ConfirmedAccount,
  {
    token,
    passwordHash,
    mail,
  }: { readonly token: string; readonly passwordHash: string; readonly mail: Pick<MailJobs, 'add'> | null },
) {
  const { query, storeId, now } = unit
  const accounts = customerAccountRepository(query)
  if (!(await isUnchanged(accounts, account))) return CREDENTIALS_WRONG
  await accounts.setPassword(storeId, account.id, passwordHash, now)
  await accounts.endSessions(storeId, account.id, secretTokenHash(token))
  await mail?.add(unit, { kind: 'customer-password', subjectId: account.id })
  return { __typename: 'ChangeCustomerPasswordSuccess' as const, accountId: account.id }
}

export async function setCustomerAddresses(
  { query, storeId, now }: UnitOfWork,
  account: CustomerAccount,
  addresses: readonly AddressInput[],
) {
  const problems = savedAddressProblems(addresses)
  if (problems.length > 0) return validationError(problems)
  await customerAccountRepository(query).setAddresses(storeId, account.id, addresses, now)
  return { __typename: 'SetCustomerAddressesSuccess' as const, accountId: account.id }
}

/** Erases an account, unless the password that was verified was changed in the meantime. */
export async function eraseCustomerAccount({ query, storeId }: UnitOfWork, account: ConfirmedAccount) {
  const accounts = customerAccountRepository(query)
  if (!(await isUnchanged(accounts, account))) return CREDENTIALS_WRONG
  const orders = await accounts.erase(storeId, account.id)
  return { __typename: 'EraseCustomerAccountSuccess' as const, orders }
}

/** The address that a valid link signs in to; null: there is no such link. */
export async function emailOfLink(
  accounts: CustomerAccountRepository,
  storeId: number,
  token: string,
  now: Date,
): Promise<string | null> {
  const hash = secretTokenHash(token)
  const account = hash === null ? null : await accounts.byLink(storeId, hash, now)
  return account?.email ?? null
}

/** Everything that is kept about an account, but hashes. */
export async function accountExport(
  accounts: CustomerAccountRepository,
  { storeId, id, email, addresses, confirmedAt, passwordHash }: ConfirmedAccount,
  now: Date,
) {
  const [sessions, orders] = await Promise.all([
    accounts.sessionsOf(storeId, id, now),
    accounts.exportedOrders(storeId, id, MAX_EXPORTED_ORDERS),
  ])
  return {
    email,
    hasPassword: passwordHash !== null,
    createdAt: confirmedAt.toISOString(),
    addresses,
    sessions: sessions.map((at) => ({ createdAt: at.toISOString() })),
    orders,
  }
}
