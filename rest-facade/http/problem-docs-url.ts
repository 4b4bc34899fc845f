/**
 * Ends the message of a 404 for an unknown path with the address of the OpenAPI document, and of a
 * guide where there is one.
 */
export const pathsListedAt = (openApiUrl: string, guideUrl?: string): string =>
  `The paths are listed at ${openApiUrl}${guideUrl === undefined ? '' : ` and explained at ${guideUrl}`}.`
