/** Seconds since `began`, of `performance.now()`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000
