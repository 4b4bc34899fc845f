/**
 * An object of the response data. Keys never equal inherited names such as `constructor`: see
 * planned-document.ts.
 */
export type Data = { [key: string]: unknown }

export const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `__typename` of an object; '' when it is absent or not a string. */
export const typeNameIn = ({ __typename }: Data): string => (typeof __typename === 'string' ? __typename : '')

/** Whether a type satisfies a type condition: an object type, interface or union. */
export type TypeTest = (typename: string, condition: string) => boolean
