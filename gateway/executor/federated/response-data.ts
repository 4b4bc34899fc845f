/** An object of the answer while it is put together. Names that every JavaScript object has never occur as keys: see planned-document.ts. */
export type Data = { [key: string]: unknown }

export const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The type that an object says it has; '' where it says none, or what is no name. */
export const typeNameIn = ({ __typename }: Data): string => (typeof __typename === 'string' ? __typename : '')

/** Which types are of which: `condition` may be an object type, an interface or a union of the whole graph. */
export type TypeTest = (typename: string, condition: string) => boolean
