/** What one check of `atrium doctor` found. */
export type DoctorFinding = {
  /** What was looked at, such as `database`. */
  readonly check: string
  /** `warn`: it works, and something is amiss. `fail`: it does not work. */
  readonly state: 'ok' | 'warn' | 'fail'
  /** What there is, in one sentence. */
  readonly found: string
  /** What to do about it; null: nothing is to be done. */
  readonly remedy: string | null
}

export const ok = (check: string, found: string): DoctorFinding => ({ check, state: 'ok', found, remedy: null })
export const warn = (check: string, found: string, remedy: string): DoctorFinding => ({ check, state: 'warn', found, remedy })
export const fail = (check: string, found: string, remedy: string): DoctorFinding => ({ check, state: 'fail', found, remedy })
