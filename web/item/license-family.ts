import type { LicenseFamily } from '#generated/operations.ts'

/** Families of licences, as pages name them. */
export const LICENSE_FAMILIES: Readonly<Record<LicenseFamily, string>> = { PERMISSIVE: 'permissive', COPYLEFT: 'copyleft' }
