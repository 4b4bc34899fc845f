/** Seconds since `began`, a time of `performance.now()`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000
