/** One import: two paths from the root of the repository; `to` may be the name of a package. */
export type Import = { readonly from: string; readonly to: string }

/**
 * The circles of an import graph: its strongly connected components of two files or more (Tarjan),
 * each sorted.
 */
export function circles(imports: readonly Import[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])

  const found: string[][] = []
  const stack: string[] = []
  const onStack = new Set<string>()
  const order = new Map<string, number>()

  function visit(file: string): number {
    const own = order.size
    order.set(file, own)
    stack.push(file)
    onStack.add(file)
    let lowest = own
    for (const target of targets.get(file) ?? []) {
      const seen = order.get(target)
      if (seen === undefined) lowest = Math.min(lowest, visit(target))
      else if (onStack.has(target)) lowest = Math.min(lowest, seen)
    }
    if (lowest === own) {
      const component = stack.splice(stack.indexOf(file))
      for (const member of component) onStack.delete(member)
      if (component.length > 1) found.push(component.sort())
    }
    return lowest
  }

  for (const file of targets.keys()) if (!order.has(file)) visit(file)
  return found
}
