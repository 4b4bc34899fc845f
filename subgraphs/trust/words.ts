/** Seconds since 1970 as a time. */
export const timeOf = (seconds: number): Date => new Date(seconds * 1000)

export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
