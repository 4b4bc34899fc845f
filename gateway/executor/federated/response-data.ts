/**
 * An object of the response data. Inherited names such as `constructor` never occur as keys: see
 * planned-document.ts.
 */
export type Data = { [key: string]: unknown }

export const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The `__typename` of an object; '' where it is absent or no string. */
export const typeNameIn = ({ __typename }: Data): string => (typeof __typename === 'string' ? __typename : '')

/**
 * Whether a type matches a type condition: an object type, interface or union of the supergraph.
 */
export type TypeTest = (typename: string, condition: string) => boolean
