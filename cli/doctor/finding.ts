/** Result of one check of `atrium doctor`. */
export type DoctorFinding = {
  /** Name of the check, such as `database`. */
  readonly check: string
  /** `warn`: works, but needs attention. `fail`: does not work. */
  readonly state: 'ok' | 'warn' | 'fail'
  /** The observed state, in one sentence. */
  readonly found: string
  /** What the operator should do; null when nothing is needed. */
  readonly remedy: string | null
}

export const ok = (check: string, found: string): DoctorFinding => ({ check, state: 'ok', found, remedy: null })
export const warn = (check: string, found: string, remedy: string): DoctorFinding => ({ check, state: 'warn', found, remedy })
export const fail = (check: string, found: string, remedy: string): DoctorFinding => ({ check, state: 'fail', found, remedy })
