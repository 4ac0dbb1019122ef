type Node = {
  readonly transaction: unknown
  readonly interfaces: unknown
  readonly emulated: unknown
  readonly parent: number | null
  readonly depth: number
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The service omits messages from `out_msgs` that became children; here each transaction has all its
 * messages in the order it sent them.
 * @throws Error when the tree is invalid
 */
export function flattenTrace(root: unknown): Node[] {
  const nodes: Node[] = []
  const waiting: { value: unknown; parent: number | null; depth: number }[] = [
    { value: root, parent: null, depth: 0 },
  ]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, parent, depth } = next
    if (!isFields(value)) throw new Error('a trace without a transaction')
    const children = Array.isArray(value['children']) ? (value['children'] as unknown[]) : []
    const index = nodes.length
    nodes.push({
      transaction: withMessages(value['transaction'], children),
      interfaces: value['interfaces'],
      emulated: value['emulated'],
      parent,
      depth,
    })
    for (const child of children.toReversed()) {
      waiting.push({ value: child, parent: index, depth: depth + 1 })
    }
  }
  return nodes
}

function withMessages(transaction: unknown, children: readonly unknown[]): unknown {
  if (!isFields(transaction)) return transaction
  const own = Array.isArray(transaction['out_msgs']) ? (transaction['out_msgs'] as unknown[]) : []
  const known = new Set(own.map((message) => (isFields(message) ? message['hash'] : null)))
  const arrived = children.flatMap((child) => {
    const message =
      isFields(child) && isFields(child['transaction']) && child['transaction']['in_msg']
    return isFields(message) && !known.has(message['hash']) ? [message] : []
  })
  if (arrived.length === 0) return transaction
  const messages = [...own, ...arrived].sort((a, b) => compare(ltOf(a), ltOf(b)))
  return { ...transaction, out_msgs: messages }
}

function ltOf(message: unknown): bigint {
  const lt = isFields(message) ? message['created_lt'] : 0
  return typeof lt === 'bigint' || Number.isSafeInteger(lt) ? BigInt(lt as bigint | number) : 0n
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
