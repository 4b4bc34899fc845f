/** The public address as links begin with it: people configure it with a slash at the end, too. */
export const withoutTrailingSlashes = (publicUrl: string): string => publicUrl.replace(/\/+$/, '')
