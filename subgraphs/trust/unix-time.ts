/** Seconds since 1970 as a time. */
export const fromUnixSeconds = (seconds: number): Date => new Date(seconds * 1000)

/** A time as whole seconds since 1970. */
export const toUnixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)
