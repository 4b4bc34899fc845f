import { hash } from 'node:crypto'

/** Id of a supergraph in logs and reports: SHA-256 of its SDL, first 12 hexadecimal digits. */
export const supergraphId = (sdl: string): string => hash('sha256', sdl).slice(0, 12)
