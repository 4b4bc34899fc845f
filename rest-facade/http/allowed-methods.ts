/** Compiles the value of `Allow` for a path; null when nothing has this path. */
export function allowedMethods(
  served: readonly { readonly path: string; readonly method: string }[],
): (path: string) => readonly string[] | null {
  const rows = served.map(({ path, method }) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  }))
  return (path) => {
    const methods = rows.flatMap((row) => (row.pattern.test(path) ? row.methods : []))
    return methods.length === 0 ? null : [...new Set(methods), 'OPTIONS']
  }
}
