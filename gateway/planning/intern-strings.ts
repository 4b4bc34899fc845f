import {
  type DocumentNode,
  type EnumValueNode,
  type FloatValueNode,
  type IntValueNode,
  type NameNode,
  type StringValueNode,
  visit,
} from 'graphql'

/** Returns one copy of each text. */
export type Intern = (text: string) => string

/**
 * Parsers return parts of their source, which then stays in memory as a whole, and another string
 * for each occurrence of a name. Copies are independent of both.
 */
export function createIntern(): Intern {
  const copies = new Map<string, string>()
  return (text) => {
    const known = copies.get(text)
    if (known !== undefined) return known
    // The only copy that V8 does not make a view of the original, for texts of any characters.
    const copy = JSON.parse(JSON.stringify(text)) as string // of a string
    copies.set(copy, copy)
    return copy
  }
}

/** Replaces names, texts and other values of a document by their copies, in place. */
export function internDocument(document: DocumentNode, intern: Intern): void {
  // The types are readonly, and nobody else has read the document yet.
  const replace = (node: { value: string }) => {
    node.value = intern(node.value)
  }
  visit(document, {
    Name: (node: NameNode) => replace(node),
    StringValue: (node: StringValueNode) => replace(node),
    EnumValue: (node: EnumValueNode) => replace(node),
    IntValue: (node: IntValueNode) => replace(node),
    FloatValue: (node: FloatValueNode) => replace(node),
  })
}
