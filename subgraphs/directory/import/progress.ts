/** How far an import is; `total` null while it is unknown. */
export type Progress = {
  readonly phase: 'fetching' | 'reading' | 'storing'
  readonly done: number
  readonly total: number | null
}
