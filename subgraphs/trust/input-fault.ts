/** Problems of a field of a question; `field` is its path there. */
export type InputFault = { readonly field: string; readonly code: string; readonly message: string }
