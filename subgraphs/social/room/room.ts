/** Where members write messages to each other. */
export type Room = { readonly id: string; readonly name: string; readonly ownerId: string; readonly createdAt: Date }
