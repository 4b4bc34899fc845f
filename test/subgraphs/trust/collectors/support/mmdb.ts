/** A MaxMind database (https://maxmind.github.io/MaxMind-DB/) of IPv4 networks, with records of 24 bits. */
export function mmdbOf(networks: Readonly<Record<string, Value>>): Buffer {
  // Each node: the left and the right one, as numbers of nodes, or texts of networks with data.
  const nodes: [number | string | null, number | string | null][] = [[null, null]]
  for (const network of Object.keys(networks)) {
    const [address = '', length = '32'] = network.split('/')
    const bits = address.split('.').flatMap((part) => [...Number(part).toString(2).padStart(8, '0')].map(Number))
    let at = 0
    for (const [depth, bit] of bits.slice(0, Number(length)).entries()) {
      const node = nodes[at]
      if (!node) throw new Error('Expected a node.')
      if (depth === Number(length) - 1) node[bit] = network
      else {
        if (typeof node[bit] !== 'number') node[bit] = nodes.push([null, null]) - 1
        at = Number(node[bit])
      }
    }
  }
  const offsets = new Map<string, number>()
  const data: Buffer[] = []
  for (const [network, value] of Object.entries(networks)) {
    offsets.set(network, Buffer.concat(data).length)
    data.push(value instanceof Buffer ? value : encoded(value))
  }
  const tree = Buffer.alloc(nodes.length * 6)
  for (const [at, node] of nodes.entries())
    for (const [side, to] of node.entries()) {
      const pointer = typeof to === 'string' ? nodes.length + 16 + (offsets.get(to) ?? 0) : (to ?? nodes.length)
      tree.writeUIntBE(pointer, at * 6 + side * 3, 3)
    }
  const metadata = {
    node_count: nodes.length,
    record_size: 24,
    ip_version: 4,
    database_type: 'Test-ASN',
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_795_000_000,
    languages: 'en',
  }
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'), encoded(metadata)])
}

/** A buffer is data as it stands in the file. */
type Value = string | number | boolean | Buffer | { readonly [key: string]: Value }

function encoded(value: Value): Buffer {
  if (value instanceof Buffer) return value
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0, 7])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([Buffer.from([(6 << 5) | 4]), bytes])
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from(bytes.length < 29 ? [(2 << 5) | bytes.length] : [(2 << 5) | 29, bytes.length - 29]), bytes])
  }
  const entries = Object.entries(value)
  return Buffer.concat([
    Buffer.from([(7 << 5) | entries.length]),
    ...entries.flatMap(([key, each]) => [encoded(key), encoded(each)]),
  ])
}
